import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { fixture } from '../fixtures/fixture.ts'
import { connect, connectHttp, openBench, openHttpBench } from '../gateway/doors.ts'
import { inlineServer } from '../hub/inline-server.ts'
import { textOf } from '../hub/makers.ts'
import { call, initialize, send } from './gateway-wire.ts'

const one = { one: fixture('echo') }

describe('a body that is made to do harm', () => {
  const wrap = (args: string) => ({
    ...call('one__echo'),
    body: String(call('one__echo').body).replace('"arguments":{}', `"arguments":${args}`),
  })
  const many = `{${Array.from({ length: 50_000 }, (_, key) => `"k${key}":0`).join(',')}}`
  test.each([
    ['has a key that is no key', '{"__proto__":{"isAdmin":true},"message":"x"}'],
    ['has a key of every object', '{"constructor":{"prototype":{"isAdmin":true}},"message":"x"}'],
    ['has the same key twice', '{"message":1,"message":"x"}'],
    ['has numbers without end', `{"message":"x","n":1e999,"m":-${'9'.repeat(1000)}}`],
    ['has half a letter', '{"message":"x","half":"\\ud800"}'],
    ['has very many keys', many.replace('{', '{"message":"x",')],
    ['nests as deep as it may', `{"message":"x","deep":${'['.repeat(190)}${']'.repeat(190)}}`],
    ['nests deeper', `{"message":"x","deep":${'['.repeat(5000)}${']'.repeat(5000)}}`],
  ])('because it %s changes nothing for the next', async (_what, args) => {
    await using bench = await openHttpBench(one)

    const answer = await send(bench.url, wrap(args))
    const next = await send(bench.url, call('one__echo', { message: 'next' }))

    expect([200, 400]).toContain(answer.status)
    expect(next.message.result).toMatchObject({ content: [{ text: 'next' }] })
    expect(Object.prototype).not.toHaveProperty('isAdmin')
  })

  test.each(['gzip', 'br', 'deflate'])('because it is packed with %s is not unpacked', async (encoding) => {
    await using bench = await openHttpBench({})
    const body = gzipSync(Buffer.alloc(50_000_000, ' '))

    const answer = await send(bench.url, { headers: { 'content-encoding': encoding }, body })

    expect(answer.status).toBe(400)
  })

  test.each([
    ['a list of many requests', `[${Array.from({ length: 20_000 }, () => initialize).join(',')}]`],
    ['a number', '17'],
    ['null', 'null'],
    ['an id that is an object', initialize.replace('"id":2', '"id":{"__proto__":1}')],
    ['no method', '{"jsonrpc":"2.0","id":1}'],
    ['an answer to nothing', '{"jsonrpc":"2.0","id":1,"result":{}}'],
  ])('because it is %s is refused', async (_what, body) => {
    await using bench = await openHttpBench({})

    const answer = await send(bench.url, { body })

    expect(answer.status).toBe(400)
    expect(bench.door.counts()).toEqual({ requests: 0, sessions: 0 })
  })
})

describe('a server that answers with', () => {
  test.each([
    [
      'brackets without end',
      `'['.repeat(100_000) + ']'.repeat(100_000)`,
      /Server "bomb" sent an answer that nests 10000\d levels deep/,
    ],
    [
      'objects without end',
      `'{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000)`,
      /Server "bomb" sent an answer that nests 10000\d levels deep/,
    ],
    ['keys of every object', `'{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}}}'`, /^x$/],
    [
      'a hundred thousand keys',
      `'{' + Array.from({ length: 100_000 }, (_, key) => '"k' + key + '":0').join(',') + '}'`,
      /^x$/,
    ],
    ['half a letter', `'{"text":"\\\\ud800"}'`, /^x$/],
  ])('%s harms nobody else', async (_what, value, expected) => {
    const bomb = inlineServer(`
      const run = (_args, { id, wire }) => {
        const value = ${value}
        wire.write('{"jsonrpc":"2.0","id":' + id + ',"result":{"content":[{"type":"text","text":"x"}],"structuredContent":' + value + ',"_meta":' + value + '}}\\n')
        return new Promise(() => {})
      }
      serveRaw({ name: 'bomb', tools: [{ name: 'go', inputSchema: object, run }] })
    `)
    await using bench = await openHttpBench({ ...one, bomb })
    await using entered = await connectHttp(bench.url, 'modern')

    const going = entered.client.callTool({ name: 'bomb__go', arguments: {} }, { timeout: 20_000 })
    const outcome = await going.then(textOf, String)
    const next = await entered.client.callTool({ name: 'one__echo', arguments: { message: 'next' } })

    expect(outcome).toMatch(expected)
    expect(textOf(next)).toBe('next')
    expect(Object.prototype).not.toHaveProperty('isAdmin')
  })

  test.each([
    [
      'a definition of a tool that refers to itself',
      `{ type: 'object', properties: { a: { $ref: '#' } } }`,
      { a: { a: {} } },
    ],
    [
      'a definition that lies elsewhere',
      `{ type: 'object', properties: { a: { $ref: 'http://127.0.0.1:9/x.json' } } }`,
      { a: 1 },
    ],
    [
      'a pattern that takes for ever',
      `{ type: 'object', properties: { a: { pattern: '^(a+)+$' } } }`,
      { a: `${'a'.repeat(60)}!` },
    ],
  ])('%s holds nobody up', async (_what, schema, args) => {
    const bomb = inlineServer(`serveRaw({ name: 'bomb', tools: [{ name: 'go', inputSchema: ${schema} }] })`)
    await using bench = await openBench({ bomb })
    await using door = await connect(bench.gateway, 'modern')
    await door.client.listTools()
    const startedAt = performance.now()

    const result = await door.client.callTool({ name: 'bomb__go', arguments: args })

    expect(textOf(result)).toBe('go')
    expect(performance.now() - startedAt).toBeLessThan(5000)
  })
})
