import { expect, test } from 'vitest'
import { promptOf } from '../makers.ts'
import { testLibrary } from './makers.ts'
import { introduced, introduction, rawClient, type Message } from './raw-client.ts'

test('a client of 2024-11-05 introduces itself, lists and gets', async () => {
  await using library = await testLibrary()
  await using client = rawClient(library)

  const hello = await client.ask(1, 'initialize', introduction)
  client.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
  const list = await client.ask(2, 'prompts/list')
  const got = await client.ask(3, 'prompts/get', { name: 'explain_code', arguments: { code: 'x = 1' } })

  expect(hello.result).toMatchObject({
    protocolVersion: '2024-11-05',
    serverInfo: { name: 'capstan-prompts' },
    capabilities: { prompts: { listChanged: true } },
  })
  expect(list.result?.['prompts']).toHaveLength(10)
  expect(got.result?.['messages']).toMatchObject([{ role: 'user', content: { type: 'text' } }])
})

test('a request before initialize is refused, and the client may still introduce itself', async () => {
  await using library = await testLibrary()
  await using client = rawClient(library)

  const early = await client.ask(1, 'prompts/list', {})
  const ping = await client.ask(2, 'ping')
  const hello = await client.ask(3, 'initialize', introduction)

  expect(early).toMatchObject({ id: 1, error: { code: -32600, message: expect.stringContaining('initialize') } })
  expect(ping).toMatchObject({ id: 2, result: {} })
  expect(hello.result).toBeDefined()
})

test.each([
  ['what is no JSON', '{"jsonrpc":', null, -32700],
  ['a list of requests', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', null, -32600],
  ['a message of another kind', '{"id":1,"method":"ping"}', 1, -32600],
  ['a request without a method', '{"jsonrpc":"2.0","id":2}', 2, -32600],
  ['a method that is no text', '{"jsonrpc":"2.0","id":3,"method":4}', 3, -32600],
  ['an id that is no id', '{"jsonrpc":"2.0","id":{},"method":"prompts/list"}', null, -32600],
  ['params that are no object', '{"jsonrpc":"2.0","id":5,"method":"prompts/list","params":"x"}', 5, -32600],
  ['an unknown method', '{"jsonrpc":"2.0","id":6,"method":"prompts/create"}', 6, -32601],
  ['params of the wrong shape', '{"jsonrpc":"2.0","id":7,"method":"prompts/get","params":{}}', 7, -32602],
  [
    'an argument that is no text',
    '{"jsonrpc":"2.0","id":71,"method":"prompts/get","params":{"name":"fix_bugs","arguments":{"code":{}}}}',
    71,
    -32602,
  ],
  ['a completion of nothing', '{"jsonrpc":"2.0","id":72,"method":"completion/complete","params":{}}', 72, -32602],
  ['a resource without an address', '{"jsonrpc":"2.0","id":73,"method":"resources/read","params":{}}', 73, -32602],
  ['an unknown prompt', '{"jsonrpc":"2.0","id":8,"method":"prompts/get","params":{"name":"nope"}}', 8, -32602],
  ['a missing argument', '{"jsonrpc":"2.0","id":9,"method":"prompts/get","params":{"name":"fix_bugs"}}', 9, -32602],
  [
    'a cursor of somebody else',
    '{"jsonrpc":"2.0","id":10,"method":"prompts/list","params":{"cursor":"10"}}',
    10,
    -32602,
  ],
  ['an unknown tool', '{"jsonrpc":"2.0","id":11,"method":"tools/call","params":{"name":"nope"}}', 11, -32602],
  [
    'an unknown resource',
    '{"jsonrpc":"2.0","id":12,"method":"resources/read","params":{"uri":"skill://no/SKILL.md"}}',
    12,
    -32602,
  ],
])('%s gets the code that JSON-RPC has for it, and the connection lives on', async (_, line, id, code) => {
  await using library = await testLibrary()
  await using client = await introduced(library)

  client.write(`${line}\n`)
  const refusal = await client.next()
  const after = await client.ask(99, 'ping')

  expect(refusal).toMatchObject({ id, error: { code } })
  expect(after).toMatchObject({ id: 99, result: {} })
})

test('a client that frames with Content-Length is answered in kind', async () => {
  await using library = await testLibrary()
  await using client = rawClient(library)
  const sendFramed = (message: unknown) => {
    const body = JSON.stringify(message)
    client.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
  }
  const nextFramed = async () => {
    const [, length, body = ''] = /^Content-Length: (\d+)\r\n\r\n([^]*)$/.exec(await client.nextText()) ?? []
    expect(Buffer.byteLength(body)).toBe(Number(length))
    return JSON.parse(body) as Message
  }

  sendFramed({ jsonrpc: '2.0', id: 1, method: 'initialize', params: introduction })
  const hello = await nextFramed()
  sendFramed({ jsonrpc: '2.0', method: 'notifications/initialized' })
  sendFramed({
    jsonrpc: '2.0',
    id: 2,
    method: 'prompts/get',
    params: { name: 'fix_bugs', arguments: { code: 'größe' } },
  })
  const got = await nextFramed()

  expect(hello.result).toMatchObject({ protocolVersion: '2024-11-05' })
  expect(JSON.stringify(got.result)).toContain('größe')
})

test('a script that writes its requests and closes gets all its answers', async () => {
  await using library = await testLibrary()
  const client = rawClient(library)

  client.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params: introduction })
  for (let id = 2; id < 12; id += 1) client.send({ jsonrpc: '2.0', id, method: 'prompts/list' })
  client.end()
  await client.served

  const ids = new Set<unknown>()
  for (let count = 0; count < 11; count += 1) ids.add((await client.next()).id)
  expect(ids.size).toBe(11)
})

test('a request that was cancelled is not waited for when the client hangs up', async () => {
  await using library = await testLibrary()
  const client = rawClient(library)
  await client.ask(1, 'initialize', {
    ...introduction,
    protocolVersion: '2025-06-18',
    capabilities: { elicitation: {} },
  })
  const question = await client.ask(2, 'tools/call', { name: 'get_prompt', arguments: { name: 'fix_bugs' } })

  client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } })
  client.end()
  await client.served

  expect(question).toMatchObject({ method: 'elicitation/create', params: { requestedSchema: { required: ['code'] } } })
})

test('a stream that breaks ends the server, and the log says why', async () => {
  await using library = await testLibrary()
  const client = rawClient(library)

  client.fail(new Error('the pipe broke'))
  await client.served

  expect(library.logged()).toContain('the pipe broke')
})

test('the server ends when the client hangs up without a word', async () => {
  await using library = await testLibrary()
  const client = rawClient(library)

  client.end()

  await expect(client.served).resolves.toBeUndefined()
})

test('a message that is too long ends the connection, with the limit named', async () => {
  await using library = await testLibrary()
  const client = rawClient(library)

  client.write('Content-Length: 99999999999\r\n\r\n')
  const refusal = await client.next()
  await client.served

  expect(refusal).toMatchObject({ id: null, error: { code: -32600, message: expect.stringContaining('67108864') } })
})

test('a storage that fails is told without a path and without a stack, and the log has both', async () => {
  await using library = await testLibrary()
  await library.store.put(promptOf('mine'))
  await library.folder.write({ 'prompts/user.jsonl.away': '' })
  await using client = await introduced(library)
  await breakFile(library.folder.path)

  const refusal = await client.ask(1, 'prompts/list')

  expect(refusal).toMatchObject({ error: { code: -32603, data: { reason: 'storage_failed' } } })
  expect(JSON.stringify(refusal)).not.toContain(library.folder.path)
  expect(JSON.stringify(refusal)).not.toMatch(/\bat .*\.ts:/)
  expect(library.logged()).toContain(library.folder.path)
  expect(library.logged()).toMatch(/\bat .*\.ts:/)
})

/** A folder where the file should be can neither be read nor written, not even by root. */
async function breakFile(folder: string): Promise<void> {
  const { mkdir, rm } = await import('node:fs/promises')
  await rm(`${folder}/prompts/user.jsonl`)
  await mkdir(`${folder}/prompts/user.jsonl`)
}
