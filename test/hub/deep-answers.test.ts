import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { describe, expect, test, vi } from 'vitest'
import { serveConnection } from '../../src/gateway/serve-connection.ts'
import { createSandbox } from '../../src/sandbox/sandbox.ts'
import { clientOptions, connect, eras, everyone, openBench } from '../gateway/doors.ts'
import type { JsonValue } from '../../src/json.ts'
import { inlineServer } from './inline-server.ts'
import { makers, openTestHub, textOf } from './makers.ts'

/** A server whose tool answers with lists in lists, as many as it is asked for; JSON that only text can hold. */
const deep = inlineServer(`
  const nested = (levels) => '['.repeat(levels) + ']'.repeat(levels)
  const go = ({ levels }, { id, wire }) => {
    wire.write('{"jsonrpc":"2.0","id":' + id + ',"result":{"content":[],"structuredContent":{"lists":' + nested(levels) + '}}}\\n')
    return new Promise(() => {})
  }
  const tell = ({ levels }, { wire }) => {
    wire.write('{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":' + nested(levels) + '}}\\n')
    return 'told'
  }
  const ask = ({ levels }, { wire }) => new Promise((resolve) => {
    answered = resolve
    wire.write('{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"?","requestedSchema":' + nested(levels) + '}}\\n')
  })
  let answered
  const intercept = (message) => {
    if (message.id !== 'q') return false
    answered('asked in vain: ' + message.error.message)
    return true
  }
  serveRaw({ name: 'deep', intercept, tools: [go, tell, ask].map((run) => ({ name: run.name, inputSchema: object, run })) })
`)

const refusal =
  'Server "deep" sent an answer that nests 100003 levels deep; 500 are the most that is taken. It has done what was asked.'

describe.each(makers)('%s', (_name, open) => {
  test('says of an answer that nests too deeply what is the matter, and goes on with the same connection', async () => {
    await using hub = await open({ deep })

    const refused = hub.call({ server: 'deep', tool: 'go' }, { levels: 100_000 })

    await expect(refused).rejects.toMatchObject({ code: 'limit_exceeded', server: 'deep', message: refusal })
    expect(textOf(await hub.call({ server: 'deep', tool: 'tell' }, { levels: 1 }))).toBe('told')
    expect(await hub.servers()).toMatchObject([{ state: { kind: 'ready' } }])
  })

  test('passes an answer on that nests as deep as it may', async () => {
    await using hub = await open({ deep })

    const result = await hub.call({ server: 'deep', tool: 'go' }, { levels: 497 })

    expect(JSON.stringify(result.structuredContent)).toContain('['.repeat(497))
  })

  test('refuses arguments that nest too deeply before anything is sent', async () => {
    await using hub = await open({ deep })
    const lists = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) as JsonValue

    const refused = hub.call({ server: 'deep', tool: 'tell' }, { lists })

    const message = expect.stringContaining('nest more than 500 levels deep') as string
    await expect(refused).rejects.toMatchObject({ code: 'arguments_invalid', message })
  })

  test('lets a snippet catch an answer that nests too deeply, and use one that does not', async () => {
    await using sandbox = createSandbox({ spareMs: 0 })
    await using hub = await open({ deep }, { sandbox: async () => sandbox })

    const outcome = await hub.exec(`
      const problem = await tools.deep.go({ levels: 100_000 }).catch((error) => error.code + ': ' + error.message)
      const { lists } = await tools.deep.go({ levels: 300 })
      return [problem, JSON.stringify(lists).length]
    `)

    expect(outcome).toMatchObject({ kind: 'returned', value: [`limit_exceeded: ${refusal}`, 600] })
  })
})

test('what a server says or asks beside its answers does not take anybody down with its depth', async () => {
  await using hub = await openTestHub({ deep })
  const call = (tool: string) => hub.call({ server: 'deep', tool }, { levels: 100_000 })

  const texts = [textOf(await call('tell')), textOf(await call('ask'))]

  expect(texts).toEqual(['told', expect.stringContaining('The request nests 100002 levels deep')])
  const log = async () => (await hub.logs('deep')).map(({ text }) => text).join('\n')
  await vi.waitFor(async () =>
    expect(await log()).toMatch(/notifications\/message was not taken: it nests 100002 levels deep/),
  )
  expect(await log()).toMatch(/elicitation\/create was not taken: it nests 100002 levels deep/)
})

test.each(['application/json', 'text/event-stream'])(
  'a remote server is told of in the same way, over %s',
  async (type) => {
    await using remote = await remoteServer(type)
    await using hub = await openTestHub({ deep: { url: remote.url } })

    const refused = hub.call({ server: 'deep', tool: 'go' }, {})

    await expect(refused).rejects.toMatchObject({ code: 'limit_exceeded', message: refusal })
  },
)

test.each(eras)('a %s client of the gateway reads the reason as the result of its call, or the answer', async (era) => {
  await using bench = await openBench({ deep })
  await using door = await connect(bench.gateway, era)
  const call = (levels: number) => door.client.callTool({ name: 'deep__go', arguments: { levels } })

  const [refused, passed] = [await call(100_000), await call(497)]

  expect(refused).toMatchObject({ isError: true })
  expect(textOf(refused)).toContain(refusal)
  expect(JSON.stringify(passed.structuredContent)).toContain('['.repeat(497))
  expect(bench.notes).toEqual([])
})

test('a client of the gateway whose request nests too deeply is refused, and the next request is served', async () => {
  await using bench = await openBench({ deep })
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  const ended = Promise.withResolvers<void>()
  const notes: string[] = []
  const note = (text: string) => void notes.push(text)
  const transport = Object.assign(theirs, { ended: ended.promise })
  const serving = serveConnection(bench.gateway, {
    transport,
    caller: everyone,
    signal: new AbortController().signal,
    note,
  })
  const client = new Client({ name: 'test', version: '1' }, clientOptions('legacy'))
  await client.connect(ours)
  const call = (levels: unknown) => client.callTool({ name: 'deep__tell', arguments: { levels } })

  const refused = await call(JSON.parse('['.repeat(100_000) + ']'.repeat(100_000))).then(textOf, String)
  const next = await call(1)
  await client.close()
  ended.resolve()
  await serving

  expect(refused).toMatch(/The request nests 100003 levels deep; 500 are the most/)
  expect(textOf(next)).toBe('told')
  expect(notes).toContainEqual(expect.stringMatching(/^tools\/call was not taken: it nests 100003 levels deep/))
})

/** A server up to 2025-11-25 without sessions, whose tool nests. */
async function remoteServer(type: string): Promise<AsyncDisposable & { readonly url: string }> {
  const nested = `{"content":[],"structuredContent":{"lists":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`
  const about = {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'deep', version: '1' },
  }
  const results: Readonly<Record<string, string>> = {
    initialize: JSON.stringify(about),
    'tools/list': JSON.stringify({ tools: [{ name: 'go', inputSchema: { type: 'object' } }] }),
    'tools/call': nested,
  }
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== 'POST') return void response.writeHead(405).end()
    const { id, method } = (await json(request)) as { readonly id?: unknown; readonly method: string }
    if (id === undefined) return void response.writeHead(202).end()
    const result = results[method]
    const rest = result === undefined ? '"error":{"code":-32601,"message":"no"}' : `"result":${result}`
    const text = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},${rest}}`
    response.writeHead(200, { 'content-type': type })
    response.end(type === 'application/json' ? text : `event: message\ndata: ${text}\n\n`)
  }
  const server = createServer((request, response) => void answer(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
