import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { guardedFetch, type Address } from '../../../src/hub/auth/guarded-fetch.ts'
import { startAuthServer } from '../../fixtures/auth-server.ts'
import { authBench } from './auth-bench.ts'

/** Names that resolve as the test says; each list is one answer, the last one stays. */
function names(answers: Readonly<Record<string, readonly string[]>>) {
  const asked: string[] = []
  const lookup = async (host: string): Promise<readonly Address[]> => {
    const list = answers[host] ?? [host]
    const turn = Math.min(asked.filter((name) => name === host).length, list.length - 1)
    asked.push(host)
    return (list[turn] ?? host).split(' ').map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  }
  return { lookup, asked }
}

async function listen(listener: RequestListener): Promise<{ readonly port: number } & AsyncDisposable> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

describe('where a server may send a login', () => {
  const hosts = {
    'public.example': ['93.184.215.14'],
    'lan.example': ['10.0.0.5'],
    'sneaky.example': ['93.184.215.14 127.0.0.1'],
    'metadata.example': ['169.254.169.254'],
    'v6.example': ['fd00::1'],
    localhost: ['127.0.0.1'],
  }

  test.each([
    ['https://public.example/mcp', 'https://lan.example/token', /private address/],
    ['https://public.example/mcp', 'https://127.0.0.1/token', /loopback address/],
    ['https://public.example/mcp', 'http://127.0.0.1:8080/token', /loopback address/],
    ['https://public.example/mcp', 'https://localhost/token', /loopback address/],
    ['https://public.example/mcp', 'https://[::1]/token', /loopback address/],
    ['https://public.example/mcp', 'https://[::ffff:127.0.0.1]/token', /loopback address/],
    ['https://public.example/mcp', 'https://0x7f.1/token', /loopback address/],
    ['https://public.example/mcp', 'https://2130706433/token', /loopback address/],
    ['https://public.example/mcp', 'https://169.254.169.254/latest/meta-data', /link-local address/],
    ['https://public.example/mcp', 'https://metadata.example/latest', /link-local address/],
    ['https://public.example/mcp', 'https://v6.example/', /private address/],
    ['https://public.example/mcp', 'https://0.0.0.0/', /reserved address/],
    ['https://public.example/mcp', 'https://sneaky.example/', /reserved address/],
    ['https://public.example/mcp', 'http://public.example/token', /not an https address/],
    ['https://public.example/mcp', 'file:///etc/passwd', /not a web address/],
    ['https://public.example/mcp', 'data:text/plain,x', /not a web address/],
    ['https://lan.example/mcp', 'https://127.0.0.1/token', /loopback address/],
    ['https://lan.example/mcp', 'https://169.254.169.254/', /link-local address/],
    ['http://localhost/mcp', 'https://169.254.169.254/', /link-local address/],
    ['http://lan.example/mcp', 'http://10.0.0.6/token', /not an https address/],
  ])('%s may not send it to %s', async (server, target, reason) => {
    const { lookup } = names(hosts)
    const fetch = guardedFetch({ server: 's', serverUrl: new URL(server), lookup })

    await expect(fetch(target)).rejects.toMatchObject({ code: 'not_allowed', message: reason, server: 's' })
  })

  test('a server on this machine may send it to this machine', async () => {
    await using there = await listen((_request, response) => response.end('here'))
    const fetch = guardedFetch({ server: 's', serverUrl: new URL('http://localhost/mcp'), lookup: names(hosts).lookup })

    expect(await (await fetch(`http://127.0.0.1:${there.port}/`)).text()).toBe('here')
  })

  test('a name that changes between two answers is connected to at the first one', async () => {
    await using there = await listen((_request, response) => response.end('first'))
    const { lookup, asked } = names({ 'flips.example': ['127.0.0.1', '169.254.169.254'] })
    const serverUrl = new URL(`http://flips.example:${there.port}/mcp`)
    const fetch = guardedFetch({ server: 's', serverUrl, lookup })

    await fetch(serverUrl)
    expect(await (await fetch(new URL('/again', serverUrl))).text()).toBe('first')

    expect(asked).toEqual(['flips.example'])
  })

  test('a server that turns private after a public one was asked leads nowhere private', async () => {
    const flips = { 'flips.example': ['10.0.0.5'], 'public.example': ['93.184.215.14'], 'inside.example': ['10.0.0.6'] }
    const stop = new AbortController()
    const fetch = guardedFetch({
      server: 's',
      serverUrl: new URL('https://flips.example/mcp'),
      lookup: names(flips).lookup,
    })
    const asked = fetch('https://public.example/metadata', { signal: stop.signal }).catch(() => undefined)
    stop.abort()
    await asked

    await expect(fetch('https://inside.example/token')).rejects.toMatchObject({
      code: 'not_allowed',
      message: /public server led/,
    })
  })
})

describe('limits', () => {
  const here = new URL('http://127.0.0.1/mcp')

  test('an answer that is too large is cut off', async () => {
    await using there = await listen((_request, response) => {
      const more = () => response.write(Buffer.alloc(65_536)) && setImmediate(more)
      response.on('drain', more).on('error', () => undefined)
      more()
    })

    const answer = guardedFetch({ server: 's', serverUrl: here })(`http://127.0.0.1:${there.port}/`)

    await expect(answer).rejects.toMatchObject({ code: 'transport_failed', message: /larger than 1024 KB/ })
  })

  test('an answer that never comes is given up with the caller', async () => {
    const controller = new AbortController()
    await using there = await listen(() => controller.abort(new Error('enough')))

    const answer = guardedFetch({ server: 's', serverUrl: here, signal: controller.signal })(
      `http://127.0.0.1:${there.port}/`,
    )

    await expect(answer).rejects.toThrow('enough')
  })

  test('a redirect is not followed by itself', async () => {
    await using there = await listen((_request, response) =>
      response.writeHead(307, { location: 'http://169.254.169.254/' }).end(),
    )

    const answer = await guardedFetch({ server: 's', serverUrl: here })(`http://127.0.0.1:${there.port}/`)

    expect(answer.status).toBe(307)
  })

  test('what cannot be reached is said, without the address after the host', async () => {
    const fetch = guardedFetch({ server: 's', serverUrl: here })

    await expect(fetch('http://127.0.0.1:1/token?secret=1')).rejects.toMatchObject({
      code: 'transport_failed',
      message: 'The login of server "s" failed at http://127.0.0.1:1: ECONNREFUSED.',
    })
  })
})

describe('a malicious server', () => {
  test.each([
    ['its metadata', { resourceMetadataUrl: 'http://169.254.169.254/latest/meta-data' }],
    ['its authorization server', { resourceDocument: { authorization_servers: ['http://169.254.169.254/'] } }],
    ['its authorization server', { resourceDocument: { authorization_servers: ['file:///etc/'] } }],
    ['its registration', { serverDocument: { registration_endpoint: 'https://169.254.169.254/register' } }],
    ['its tokens', { serverDocument: { token_endpoint: 'https://169.254.169.254/token' } }],
  ])('cannot send the request for %s to a machine of the cloud (%j)', async (_title, behaviour) => {
    await using guarded = await startAuthServer(behaviour)
    const bench = await authBench(guarded.url)

    await expect(bench.logIn()).rejects.toMatchObject({ code: expect.stringMatching(/not_allowed|server_error/) })
  })

  test.each([307, 308])('cannot have tokens or codes by a redirect (%i) to another origin', async (status) => {
    const stolen: string[] = []
    await using thief = await listen((request, response) => {
      stolen.push(request.url ?? '')
      response.end('{}')
    })
    await using redirects = await listen((_request, response) =>
      response.writeHead(status, { location: `http://127.0.0.1:${thief.port}/stolen` }).end(),
    )
    const token = `http://127.0.0.1:${redirects.port}/token`
    await using guarded = await startAuthServer({ serverDocument: { token_endpoint: token } })
    const bench = await authBench(guarded.url)

    await expect(bench.logIn()).rejects.toMatchObject({ code: 'transport_failed' })

    expect(stolen).toEqual([])
  })
})
