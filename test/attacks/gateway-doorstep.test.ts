import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { sha256 } from '../../src/gateway/http/keys.ts'
import { startHttpServer } from '../fixtures/http-server.ts'
import { fixture } from '../fixtures/fixture.ts'
import { openHttpBench } from '../gateway/doors.ts'
import { bearer, call, initialize, keysFor, modernRequest, send, sendBytes, withHeaders } from './gateway-wire.ts'

const one = { one: fixture('echo') }

describe('a web page of a stranger', () => {
  test.each([
    ['another page of this machine, on another port', { origin: 'http://localhost:3000' }],
    ['a name that ends like ours', { host: 'evil-localhost' }],
    ['a name below ours', { host: 'localhost.evil.example' }],
    ['an address of all interfaces, which some systems lead here', { host: '0.0.0.0' }],
    ['two names', { host: '127.0.0.1, evil.example' }],
    ['a number that stands for an address', { host: '2130706433' }],
    ['its own Origin under our Host', { host: '127.0.0.1', origin: 'http://127.0.0.1.evil.example' }],
    ['an extension of a browser', { origin: 'chrome-extension://abcdef' }],
  ])('does not get in as %s, and nothing is run for it', async (_what, headers) => {
    await using bench = await openHttpBench(one)

    const answer = await send(bench.url, withHeaders(call('one__echo', { message: 'x' }), headers))

    expect(answer.status).toBe(403)
    await bench.audit.settled()
    expect(existsSync(bench.auditFile)).toBe(false)
  })

  test.each(['/healthz', '/readyz', '/metrics', '/mcp'])('cannot read %s under its own name either', async (path) => {
    const page = async () => ({ status: 200, type: 'text/plain', text: 'inside', isPublic: true })
    await using bench = await openHttpBench({}, { http: { page } })

    const answer = await send(bench.url, { method: 'GET', path, headers: { host: 'evil.example' } })

    expect([answer.status, answer.text.includes('inside')]).toEqual([403, false])
  })

  test.each([
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/plain; application/json',
    'text/plain, application/json',
    'application/jsonp',
  ])('cannot send %s, as a form could without asking first', async (type) => {
    await using bench = await openHttpBench(one)

    const answer = await send(bench.url, withHeaders(call('one__echo'), { 'content-type': type }))

    expect(answer.status).toBe(415)
  })

  test('is told nothing when it asks whether it may come, not even for a private network', async () => {
    await using bench = await openHttpBench({})
    const headers = { origin: 'https://evil.example', 'access-control-request-private-network': 'true' }

    const answer = await send(bench.url, { method: 'OPTIONS', headers })

    expect(answer.status).toBe(403)
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
  })
})

describe('bytes that no client sends', () => {
  const rest = 'Content-Type: application/json\r\nConnection: close\r\n'
  test.each([
    ['no Host', `POST /mcp HTTP/1.1\r\n${rest}Content-Length: 2\r\n\r\n{}`, 400],
    ['no Host, as of HTTP/1.0', `POST /mcp HTTP/1.0\r\n${rest}Content-Length: 2\r\n\r\n{}`, 403],
    ['two Hosts', `POST /mcp HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n${rest}\r\n`, 400],
    [
      'an address of another in the first line',
      `POST http://evil.example/mcp HTTP/1.1\r\nHost: evil.example\r\n${rest}\r\n`,
      403,
    ],
    [
      'two lengths, to smuggle a second request',
      `POST /mcp HTTP/1.1\r\nHost: localhost\r\n${rest}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /metrics HTTP/1.1\r\n\r\n`,
      400,
    ],
    ['no HTTP at all', '\u0016\u0003\u0001\u0000\r\n\r\n', 400],
  ])('%s: are refused once, and the next client is served', async (_what, bytes, status) => {
    await using bench = await openHttpBench({})

    const answer = await sendBytes(bench.url, bytes)
    const next = await send(bench.url, { body: initialize })

    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual([`HTTP/1.1 ${status}`])
    expect(next.status).toBe(200)
  })
})

test.each(['0.0.0.0', '::', '::ffff:0.0.0.0', '192.0.2.1', 'example.org', '127.1', 'localhost.localdomain'])(
  'nobody listens on %s without a token',
  async (host) => {
    await expect(openHttpBench({}, { http: { address: { host, port: 0 } } })).rejects.toMatchObject({
      code: 'not_allowed',
    })
  },
)

describe('with keys, nobody comes in', () => {
  const noAlgorithm = `${encoded({ alg: 'none', typ: 'JWT' })}.${encoded({ sub: 'anna', aud: 'capstan' })}.`
  test.each([
    ['by a token that vouches for itself', { authorization: `Bearer ${noAlgorithm}` }],
    ['by a token with a path for a key', { authorization: `Bearer ${encoded({ kid: '../../dev/null' })}.e30.x` }],
    ['by the name of a key', { authorization: 'Bearer anna' }],
    ['by the hash of a token', { authorization: `Bearer ${sha256('token-of-anna').toString('hex')}` }],
    ['by an empty token', { authorization: 'Bearer ' }],
    ['by two tokens, one of them right', { authorization: 'Bearer token-of-anna, Bearer x' }],
    ['by a cookie', { cookie: 'token=token-of-anna; authorization=token-of-anna' }],
    ['by what a proxy would say', { 'x-forwarded-user': 'anna', 'x-forwarded-for': '127.0.0.1', 'x-real-ip': '::1' }],
    ['by another name for the header', { 'proxy-authorization': 'Bearer token-of-anna', 'x-api-key': 'token-of-anna' }],
  ])('%s', async (_how, headers) => {
    await using bench = await openHttpBench(one, { http: keysFor('anna') })

    const answer = await send(bench.url, withHeaders(call('one__echo', { message: 'x' }), headers))

    expect(answer.status).toBe(401)
    expect(answer.headers['www-authenticate']).toMatch(/^Bearer realm="capstan"/)
    expect(answer.text).not.toMatch(/anna|token-of/)
  })

  test('by a token in the address, where logs and histories would keep it', async () => {
    await using bench = await openHttpBench(one, { http: keysFor('anna') })

    const path = '/mcp?access_token=token-of-anna&token=token-of-anna'
    const answer = await send(bench.url, { ...call('one__echo', { message: 'x' }), path })

    expect(answer.status).toBe(401)
  })

  test('by guessing from many addresses that a header makes up', async () => {
    await using bench = await openHttpBench({}, { http: keysFor('anna'), limits: { failuresPerMinute: 3 } })
    const statuses: number[] = []

    for (let guess = 1; guess <= 5; guess++) {
      const headers = { ...bearer(`guess-${guess}`), 'x-forwarded-for': `192.0.2.${guess}`, forwarded: `for=${guess}` }
      statuses.push((await send(bench.url, { headers, body: initialize })).status)
    }

    expect(statuses).toEqual([401, 401, 401, 429, 429])
  })
})

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

describe('headers that a client makes up', () => {
  const made = {
    'x-forwarded-user': 'root',
    'x-capstan-caller': 'root',
    forwarded: 'for=10.0.0.1;by=proxy',
    baggage: 'user=root',
    cookie: 'session=made-up-cookie',
    'mcp-param-user': 'root',
  }

  test('neither change who the audit says it was, nor reach a server', async () => {
    await using server = await startHttpServer()
    await using bench = await openHttpBench({ one: { url: server.url } }, { http: keysFor('anna') })
    const seen = server.requests.length

    const sent = withHeaders(call('one__echo', { message: 'x' }), { ...made, ...bearer('anna') })
    const answer = await send(bench.url, sent)
    await bench.audit.settled()

    expect(answer.message.result).toMatchObject({ content: [{ text: 'x' }] })
    expect(JSON.parse(await readFile(bench.auditFile, 'utf8'))).toMatchObject({ caller: 'anna' })
    expect(server.requests.length).toBeGreaterThan(seen)
    expect(JSON.stringify(server.requests)).not.toMatch(/root|10\.0\.0\.1|made-up-cookie/)
  })

  test('cannot break or forge a line of the audit, nor can the name that the client gives itself', async () => {
    await using bench = await openHttpBench(one)
    const name = 'x\n{"caller":"root","tool":"one.fake"}\u001B[2J'
    const { body, headers = {} } = call('one__echo', { message: 'x' })

    await send(bench.url, { headers, body: String(body).replace('"raw"', JSON.stringify(name)) })
    await bench.audit.settled()

    const text = await readFile(bench.auditFile, 'utf8')
    expect(text.trim().split('\n')).toHaveLength(1)
    expect(text).not.toContain('\u001B')
    expect(JSON.parse(text)).toMatchObject({ caller: 'local', client: name, tool: 'one.echo' })
  })

  test.each([
    ['the name of another tool', { 'mcp-name': 'one__add' }],
    ['another method', { 'mcp-method': 'tools/list' }],
    ['another version', { 'mcp-protocol-version': '2025-11-25' }],
  ])('that give %s than the body are refused, and nothing is run', async (_what, headers) => {
    await using bench = await openHttpBench(one)

    const answer = await send(bench.url, withHeaders(call('one__echo', { message: 'x' }), headers))

    expect(answer.status).toBe(400)
    expect(answer.message.result).toBeUndefined()
    await bench.audit.settled()
    expect(existsSync(bench.auditFile)).toBe(false)
  })
})

describe('whoever came in', () => {
  test.each([
    '/api/servers',
    '/admin',
    '/config',
    '/api/restart',
    '/../config',
    '/mcp/%2e%2e/metrics',
    '/.env',
    '//mcp',
  ])('finds no way to change or read anything at %s', async (path) => {
    await using bench = await openHttpBench({}, { http: keysFor('anna') })

    const asked = ['GET', 'POST', 'DELETE'].map((method) => send(bench.url, { method, path, headers: bearer('anna') }))

    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([404, 404, 404])
  })

  test.each([
    'control',
    'daemon/stop',
    'daemon/answer',
    'exec',
    'hello',
    'logs',
    'servers',
    'constructor',
    '__proto__',
  ])('cannot reach the hub behind the gateway by the method %s', async (method) => {
    await using bench = await openHttpBench({})

    const answer = await send(bench.url, modernRequest(method, { server: 'one', action: 'disable' }))

    expect(answer.message.error?.code).toBe(-32601)
  })
})
