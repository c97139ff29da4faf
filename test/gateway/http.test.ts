import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { describe, expect, test } from 'vitest'
import type { Caller } from '../../src/gateway/caller.ts'
import { readAddress } from '../../src/gateway/http/address.ts'
import { makeIdentify, sha256, type Key } from '../../src/gateway/http/keys.ts'
import { fixture } from '../fixtures/fixture.ts'
import { startHttpServer } from '../fixtures/http-server.ts'
import { connectHttp, eras, everyone, openHttpBench, type HttpWishes } from './doors.ts'

interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

interface Sent {
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

/** Without `fetch`, which does not let anybody choose `Host` and `Origin`. */
function send(url: URL, { method = 'POST', path = url.pathname, headers = {}, body = '' }: Sent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const all = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers }
    const request = httpRequest({ host: url.hostname, port: url.port, path, method, headers: all }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString('utf8'),
        }),
      )
    })
    request.on('error', reject)
    request.end(body)
  })
}

const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
})

const ping = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'ping' })

function keysFor(...names: readonly string[]): NonNullable<HttpWishes['http']> {
  const keys: Key[] = names.map((name) => ({
    caller: { ...everyone, name } satisfies Caller,
    tokenSha256: sha256(`token-of-${name}`),
  }))
  return { identify: makeIdentify(keys, undefined), hasKeys: true }
}

const bearer = (name: string) => ({ authorization: `Bearer token-of-${name}` })

describe('who comes over HTTP', () => {
  test.each([
    ['a Host of a stranger', { host: 'evil.example' }, 403],
    ['a Host that only begins like ours', { host: '127.0.0.1.evil.example' }, 403],
    ['a Host with somebody before it', { host: 'user@localhost' }, 403],
    ['an Origin of a stranger', { origin: 'https://evil.example' }, 403],
    ['an Origin that says nothing', { origin: 'null' }, 403],
    ['the Origin of another port', { origin: 'http://127.0.0.1:1' }, 403],
    ['a body that a form can send', { 'content-type': 'text/plain' }, 415],
    ['a body without a type', { 'content-type': '' }, 415],
    ['a name of this machine', { host: 'localhost:1234' }, 200],
  ])('with %s gets the answer for it', async (_what, headers, status) => {
    await using bench = await openHttpBench({ one: fixture('echo') })

    const answer = await send(bench.url, { headers, body: initialize })

    expect(answer.status).toBe(status)
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin')
  })

  test('is turned away by Host before a byte of the body is read', async () => {
    await using bench = await openHttpBench({})
    const answered = Promise.withResolvers<number>()
    const request = httpRequest(bench.url, {
      method: 'POST',
      headers: { host: 'evil.example', 'content-type': 'application/json', 'content-length': '1000' },
    })
    request.on('response', (response) => answered.resolve(response.statusCode ?? 0))
    request.on('error', answered.reject)
    request.flushHeaders()

    expect(await answered.promise).toBe(403)
    request.destroy()
  })

  test('from a listed page may come, and its browser is told so', async () => {
    const origin = 'https://agent.example'
    await using bench = await openHttpBench({ one: fixture('echo') }, { http: { origins: [origin] } })

    const asked = await send(bench.url, { method: 'OPTIONS', headers: { origin } })
    const stranger = await send(bench.url, { method: 'OPTIONS', headers: {} })
    const answer = await send(bench.url, { headers: { origin }, body: initialize })

    expect([asked.status, stranger.status, answer.status]).toEqual([204, 405, 200])
    expect(asked.headers['access-control-allow-origin']).toBe(origin)
    expect(answer.headers['access-control-allow-origin']).toBe(origin)
  })

  test.each([
    ['nothing', {}, 401],
    ['a wrong token', { authorization: 'Bearer token-of-eve' }, 401],
    ['another kind of login', { authorization: 'Basic dG9rZW4tb2YtYW5uYQ==' }, 401],
    ['a token', bearer('anna'), 200],
  ])('with keys, who shows %s gets the answer for it', async (_what, headers, status) => {
    await using bench = await openHttpBench({ one: fixture('echo') }, { http: keysFor('anna', 'ben') })

    const answer = await send(bench.url, { headers, body: initialize })

    expect(answer.status).toBe(status)
    expect(answer.headers['www-authenticate'] ?? '').toMatch(status === 401 ? /^Bearer realm="capstan"/ : /^$/)
  })

  test('who guesses at tokens has to wait', async () => {
    await using bench = await openHttpBench({}, { http: keysFor('anna'), limits: { failuresPerMinute: 3 } })
    const guess = () => send(bench.url, { headers: bearer('eve'), body: ping })

    const statuses = [await guess(), await guess(), await guess(), await guess()].map(({ status }) => status)

    expect(statuses).toEqual([401, 401, 401, 429])
    expect(Number((await guess()).headers['retry-after'])).toBeGreaterThan(0)
  })

  test('on another address than this machine’s needs keys, or it is not opened', async () => {
    const address = { host: '0.0.0.0', port: 0 }

    await expect(openHttpBench({}, { http: { address } })).rejects.toMatchObject({ code: 'not_allowed' })
    await using bench = await openHttpBench({}, { http: { address, ...keysFor('anna') } })
    expect(bench.door.url).toMatch(/^http:\/\/0\.0\.0\.0:/)
  })

  test('finds nothing elsewhere than at /mcp', async () => {
    await using bench = await openHttpBench({})

    const paths = ['/', '/mcp/', '/sse', '/mcp/../mcp']
    const answers = await Promise.all(paths.map((path) => send(bench.url, { path, body: ping })))

    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404])
  })
})

describe('a session', () => {
  test('belongs to the caller who began it; to others it is not there', async () => {
    await using bench = await openHttpBench({ one: fixture('echo') }, { http: keysFor('anna', 'ben') })
    const begun = await send(bench.url, { headers: bearer('anna'), body: initialize })
    const session = { 'mcp-session-id': String(begun.headers['mcp-session-id']) }

    const own = await send(bench.url, { headers: { ...bearer('anna'), ...session }, body: ping })
    const other = await send(bench.url, { headers: { ...bearer('ben'), ...session }, body: ping })
    const ending = await send(bench.url, { method: 'DELETE', headers: { ...bearer('ben'), ...session } })
    const still = await send(bench.url, { headers: { ...bearer('anna'), ...session }, body: ping })

    expect([own.status, other.status, ending.status, still.status]).toEqual([200, 404, 404, 200])
  })

  test('is needed for everything but its beginning, and ends when told', async () => {
    await using bench = await openHttpBench({ one: fixture('echo') })
    const begun = await send(bench.url, { body: initialize })
    const headers = { 'mcp-session-id': String(begun.headers['mcp-session-id']) }

    const without = await send(bench.url, { body: ping })
    const ended = await send(bench.url, { method: 'DELETE', headers })
    const after = await send(bench.url, { headers, body: ping })

    expect([without.status, ended.status, after.status]).toEqual([400, 200, 404])
    expect(bench.door.counts().sessions).toBe(0)
  })

  test('cannot be had without end', async () => {
    await using bench = await openHttpBench({ one: fixture('echo') }, { limits: { sessionsOfOne: 2 } })
    const begin = () => send(bench.url, { body: initialize })

    const answers = [await begin(), await begin(), await begin()]

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 503])
    expect(answers[2]?.headers['retry-after']).toBe('30')
  })
})

describe('a body', () => {
  test.each([
    ['too large by its own word', { headers: { 'content-length': '5000000' } }, 413],
    ['too large when it comes', { body: Buffer.alloc(200_000, ' '), headers: { 'transfer-encoding': 'chunked' } }, 413],
    ['no JSON', { body: '{"jsonrpc":' }, 400],
    ['nothing', { body: '' }, 400],
    ['nested without end', { body: '['.repeat(50_000) + ']'.repeat(50_000) }, 400],
    ['a header without end', { body: ping, headers: { 'mcp-name': 'x'.repeat(20_000) } }, 431],
  ])('that is %s is refused', async (_what, sent: Sent, status) => {
    await using bench = await openHttpBench({}, { limits: { bodyBytes: 150_000 } })

    const answer = await send(bench.url, sent)

    expect(answer.status).toBe(status)
  })
})

describe('a crowd', () => {
  test('is told to come back later: too many at once, too often', async () => {
    await using bench = await openHttpBench(
      { one: fixture('echo') },
      { limits: { requestsOfOne: 1, requestsPerMinute: 5 } },
    )
    await using entered = await connectHttp(bench.url, 'modern')
    const started = Promise.withResolvers<void>()
    const slow = entered.client.callTool(
      { name: 'one__slow', arguments: { ms: 400, steps: 4 } },
      { onprogress: () => started.resolve() },
    )
    await started.promise

    const second = await send(bench.url, { body: initialize })
    await slow
    const rest: number[] = []
    for (let times = 0; times < 6; times++) rest.push((await send(bench.url, { body: initialize })).status)

    expect(second.status).toBe(429)
    expect(second.headers['retry-after']).toBe('1')
    expect(rest.at(-1)).toBe(429)
  })
})

test.each(eras)('a token that a %s client shows never reaches a server', async (era) => {
  await using server = await startHttpServer()
  await using bench = await openHttpBench({ one: { url: server.url } }, { http: keysFor('anna') })
  await using entered = await connectHttp(bench.url, era, { token: 'token-of-anna' })

  await entered.client.callTool({ name: 'one__echo', arguments: { message: 'x' } })

  expect(server.requests.length).toBeGreaterThan(0)
  expect(JSON.stringify(server.requests)).not.toContain('token-of-anna')
})

test('requests under way are finished before the door closes, and new ones are turned away', async () => {
  await using bench = await openHttpBench({ one: fixture('echo') })
  await using entered = await connectHttp(bench.url, 'modern')
  const started = Promise.withResolvers<void>()
  const slow = entered.client.callTool(
    { name: 'one__slow', arguments: { ms: 400, steps: 4 } },
    { onprogress: () => started.resolve() },
  )
  await started.promise

  const drained = bench.door.drain(5000)

  await expect(slow).resolves.toMatchObject({ content: [{ text: 'done' }] })
  await drained
  await expect(send(bench.url, { body: initialize })).rejects.toMatchObject({ code: 'ECONNREFUSED' })
})

test.each([
  ['7332', { host: '127.0.0.1', port: 7332 }],
  ['localhost:80', { host: 'localhost', port: 80 }],
  ['[::1]:80', { host: '::1', port: 80 }],
  ['0.0.0.0:0', { host: '0.0.0.0', port: 0 }],
])('the address %s is understood', (text, address) => {
  expect(readAddress(text)).toEqual(address)
})

test.each(['', 'localhost', ':80', '::1:80', '99999', 'http://localhost:80'])('"%s" is no address', (text) => {
  expect(() => readAddress(text)).toThrow(/is not an address/)
})
