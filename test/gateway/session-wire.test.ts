// What goes over the wire in a session up to 2025-11-25, seen without a client's help.
import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { describe, expect, test } from 'vitest'
import { fixture, type FixtureName } from '../fixtures/fixture.ts'
import { openHttpBench } from './doors.ts'

const hello = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'raw', version: '1' },
}
const accept = 'application/json, text/event-stream'

type Headers = Readonly<Record<string, string>>

interface Wire extends AsyncDisposable {
  /** Sends a body, with the session's headers and these; resolves with the head of the answer. */
  readonly post: (body: unknown, headers?: Headers) => Promise<IncomingMessage>
  readonly open: (method: 'GET' | 'DELETE', headers?: Headers) => Promise<IncomingMessage>
}

async function sessionWith(server: FixtureName): Promise<Wire> {
  const bench = await openHttpBench({ one: fixture(server) })
  const common: Record<string, string> = { accept, 'content-type': 'application/json' }
  const send = async (method: string, headers: Headers, body = '') => {
    const request = httpRequest(bench.url, { method, headers: { ...common, ...headers } })
    request.end(body)
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    return response
  }
  const begun = await send('POST', {}, JSON.stringify(message(0, 'initialize', hello)))
  common['mcp-session-id'] = String(begun.headers['mcp-session-id'])
  await textOf(begun)
  return {
    post: (body, headers = {}) => send('POST', headers, JSON.stringify(body)),
    open: (method, headers = {}) => send(method, headers),
    [Symbol.asyncDispose]: () => bench[Symbol.asyncDispose](),
  }
}

function message(id: number, method: string, params: object = {}): object {
  return { jsonrpc: '2.0', id, method, params }
}

function call(id: number, name: string, args: object = {}, meta?: object): object {
  return message(id, 'tools/call', { name: `one__${name}`, arguments: args, ...(meta && { _meta: meta }) })
}

const cancel = (requestId: number) => ({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } })

async function textOf(response: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) text += String(chunk)
  return text
}

async function errorOf(response: IncomingMessage): Promise<unknown> {
  return (JSON.parse(await textOf(response)) as { error?: { code: number } }).error?.code
}

const typeOf = ({ headers }: IncomingMessage) => headers['content-type']
const idsIn = (text: string) => [...text.matchAll(/"id":(\d+)/g)].map(([, id]) => Number(id)).toSorted((a, b) => a - b)

describe('an answer', () => {
  test('that comes soon and alone is plain JSON', async () => {
    await using wire = await sessionWith('echo')

    const response = await wire.post(call(1, 'echo', { message: 'hi' }))

    expect(typeOf(response)).toBe('application/json')
    expect(await textOf(response)).toContain('"text":"hi"')
  })

  test('is a stream when something comes before it', async () => {
    await using wire = await sessionWith('progress-burst')

    const response = await wire.post(call(1, 'burst', {}, { progressToken: 'p' }))

    const text = await textOf(response)
    expect(typeOf(response)).toBe('text/event-stream')
    expect(text.match(/^data: .*"method":"notifications\/progress"/gm)).toHaveLength(3)
    expect(idsIn(text.split('\n\n').at(-2) ?? '')).toEqual([1])
  })

  test('that takes long has its head sent ahead, so that the client knows that it is waited for', async () => {
    await using wire = await sessionWith('echo')

    const response = await wire.post(call(1, 'slow', { ms: 60_000 }))

    expect(typeOf(response)).toBe('text/event-stream')
    await wire.post(cancel(1))
    expect(await textOf(response)).toBe('')
  })

  test('to several requests in one body holds the result of each', async () => {
    await using wire = await sessionWith('echo')

    const response = await wire.post([call(1, 'echo', { message: 'a' }), message(2, 'ping'), message(3, 'tools/list')])

    expect(idsIn(await textOf(response))).toEqual([1, 2, 3])
  })

  test('to several requests of which one is taken back holds the results of the others', async () => {
    await using wire = await sessionWith('echo')
    const response = await wire.post([call(1, 'slow', { ms: 60_000 }), call(2, 'slow', { ms: 600 })])

    await wire.post(cancel(1))

    expect(idsIn(await textOf(response))).toEqual([2])
  })

  test('to nothing but notifications is an empty 202', async () => {
    await using wire = await sessionWith('echo')

    const response = await wire.post({ jsonrpc: '2.0', method: 'notifications/initialized' })

    expect([response.statusCode, await textOf(response)]).toEqual([202, ''])
  })

  test('that nobody waits for any more costs the session nothing', async () => {
    await using wire = await sessionWith('echo')
    const left = await wire.post(call(1, 'slow', { ms: 60_000 }))
    left.destroy()

    const response = await wire.post(call(2, 'echo', { message: 'still here' }))

    expect(await textOf(response)).toContain('still here')
  })
})

describe('a request', () => {
  test.each([
    ['a call without a name', message(1, 'tools/call', {}), 200, -32_602],
    ['a call whose arguments are a list', message(1, 'tools/call', { name: 'one__echo', arguments: [] }), 200, -32_602],
    ['a method that nobody knows', message(1, 'no/such/method'), 200, -32_601],
    ['a message of no protocol', { hello: 'there' }, 400, -32_700],
    ['an id that is none', { jsonrpc: '2.0', id: {}, method: 'ping' }, 400, -32_700],
    ['an empty batch', [], 400, -32_700],
    ['a batch without end', Array.from({ length: 101 }, (_, id) => message(id, 'ping')), 400, -32_600],
    ['a second beginning', message(1, 'initialize', hello), 400, -32_600],
  ])('that is %s is refused', async (_what, body, status, code) => {
    await using wire = await sessionWith('echo')

    const response = await wire.post(body)

    expect([response.statusCode, await errorOf(response)]).toEqual([status, code])
  })

  test.each([
    ['takes no stream', { accept: 'application/json' }, 406],
    ['speaks a version that never was', { 'mcp-protocol-version': '1999-01-01' }, 400],
  ])('of a client that %s is refused', async (_what, headers, status) => {
    await using wire = await sessionWith('echo')

    const response = await wire.post(message(1, 'ping'), headers)

    expect(response.statusCode).toBe(status)
  })
})

test('a session has one stream that listens at a time, and it ends with the session', async () => {
  await using wire = await sessionWith('echo')
  const first = await wire.open('GET')

  const second = await wire.open('GET')
  const ended = await wire.open('DELETE')

  expect([first.statusCode, second.statusCode, ended.statusCode]).toEqual([200, 409, 200])
  expect(await textOf(first)).toBe('')
})
