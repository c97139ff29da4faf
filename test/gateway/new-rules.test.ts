import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { expect, test, vi } from 'vitest'
import type { Caller } from '../../src/gateway/caller.ts'
import { makeIdentify, sha256 } from '../../src/gateway/http/keys.ts'
import { defaultLimits } from '../../src/gateway/http/limits.ts'
import { fixture } from '../fixtures/fixture.ts'
import { textOf } from '../hub/makers.ts'
import { connect, connectHttp, eras, everyone, openBench, openHttpBench } from './doors.ts'

const servers = { one: fixture('echo'), two: fixture('echo') }
const anna: Caller = { name: 'anna', rules: [], mode: 'all' }
const patience = { timeout: 5000, interval: 20 }

test.each(eras)(
  'a %s client has at once what its new rules leave, hears of it, and gets back what they allow again',
  async (era) => {
    await using bench = await openBench(servers)
    const told = vi.fn<() => void>()
    const listChanged = { tools: { onChanged: told, autoRefresh: false, debounceMs: 0 } }
    const narrow = { ...anna, rules: [{ servers: ['one'] }] }
    await using door = await connect(bench.gateway, era, { caller: narrow, options: { listChanged } })
    const names = async () => (await door.client.listTools()).tools.map(({ name }) => name)
    const before = await names()

    bench.gateway.takeCaller({ ...anna, rules: [{ servers: ['one'], deny: ['one.echo'] }] })
    const after = await names()
    await vi.waitFor(() => expect(told).toHaveBeenCalled(), patience)
    bench.gateway.takeCaller(anna)

    expect(before.filter((name) => !after.includes(name))).toEqual(['one__echo'])
    await vi.waitFor(
      async () => expect(await names()).toEqual(expect.arrayContaining(['one__echo', 'two__echo'])),
      patience,
    )
  },
)

test('a yes to a question does not count when the rules deny the tool by then', async () => {
  await using bench = await openBench(servers)
  await using door = await connect(bench.gateway, 'legacy', {
    caller: { ...anna, rules: [{ ask: ['one.echo'] }] },
    options: { capabilities: { elicitation: { form: {} } } },
    prepare: (client) =>
      client.setRequestHandler('elicitation/create', async () => {
        bench.gateway.takeCaller({ ...anna, rules: [{ deny: ['one.echo'] }] })
        return { action: 'accept', content: {} }
      }),
  })

  const result = await door.client.callTool({ name: 'one__echo', arguments: { message: 'hi' } })

  expect(result.isError).toBe(true)
  expect(textOf(result)).toContain('The tool one.echo is not allowed here.')
})

test('a request whose body comes slowly is not served when its key was taken away meanwhile', async () => {
  const keys = [{ caller: anna, tokenSha256: sha256('token-of-anna') }]
  await using bench = await openHttpBench(servers, { http: { identify: makeIdentify(keys, undefined), hasKeys: true } })
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
  const headers = {
    authorization: 'Bearer token-of-anna',
    'content-type': 'application/json',
    'content-length': String(body.length),
  }
  const request = httpRequest(bench.url, { method: 'POST', headers })
  const answered = once(request, 'response') as Promise<[IncomingMessage]>
  request.write(body.slice(0, 10))
  await vi.waitFor(() => expect(bench.door.counts().requests).toBe(1), patience)

  bench.door.take({ identify: () => undefined, hosts: [], origins: [], limits: defaultLimits })
  request.end(body.slice(10))
  const [response] = await answered
  response.resume()

  expect(response.statusCode).toBe(401)
})

test('the streams of a caller who is ended come to their end, and it can begin anew if it may', async () => {
  await using bench = await openHttpBench(servers)
  const listChanged = { tools: { onChanged: () => {}, autoRefresh: false, debounceMs: 0 } }
  await using first = await connectHttp(bench.url, 'modern', { options: { listChanged } })
  const stream = first.client.autoOpenedSubscription
  await first.client.listTools()

  await bench.door.end(everyone.name)
  bench.gateway.endCaller(everyone.name)

  expect(stream).toBeDefined()
  await stream?.closed
  await using next = await connectHttp(bench.url, 'modern')
  expect((await next.client.listTools()).tools.length).toBeGreaterThan(0)
})
