import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseEntry } from '../../../src/config/entry.ts'
import type { ServerConfig } from '../../../src/config/types.ts'
import { eras } from '../../../src/hub/wire/eras.ts'
import { fixture } from '../../fixtures/fixture.ts'
import { startHttpServer } from '../../fixtures/http-server.ts'
import { openTestHub, textOf } from '../makers.ts'
import { scratchFolder } from '../scratch-folder.ts'

const day = 24 * 3600 * 1000

function remote(url: string): ServerConfig {
  return parseEntry({ url }, { name: 'one' }).server
}

describe('what is remembered', () => {
  test('a legacy verdict holds for a week', async () => {
    const file = join(await scratchFolder(), 'cache', 'eras.json')
    await eras(file, () => 0).remember(remote('http://a'), 'legacy')

    expect(eras(file, () => 6 * day).isLegacy(remote('http://a'))).toBe(true)
    expect(eras(file, () => 8 * day).isLegacy(remote('http://a'))).toBe(false)
    expect(eras(file, () => 6 * day).isLegacy(remote('http://b'))).toBe(false)
  })

  test('a verdict from the future, of a clock that was wrong, does not count', async () => {
    const file = join(await scratchFolder(), 'eras.json')
    await eras(file, () => 400 * day).remember(remote('http://a'), 'legacy')

    expect(eras(file, () => day).isLegacy(remote('http://a'))).toBe(false)
  })

  test('verdicts that are learnt together are all kept', async () => {
    const file = join(await scratchFolder(), 'eras.json')
    const kept = eras(file, () => 0)
    const servers = Array.from({ length: 10 }, (_, index) => remote(`http://server-${index}`))

    await Promise.all(servers.map((server) => kept.remember(server, 'legacy')))

    expect(servers.filter((server) => !kept.isLegacy(server))).toEqual([])
  })

  test('a verdict that cannot be written does not stop the ones after it', async () => {
    const folder = await scratchFolder()
    const file = join(folder, 'eras.json')
    mkdirSync(file)

    await expect(eras(file, () => 0).remember(remote('http://a'), 'legacy')).rejects.toThrow()
    await expect(
      eras(join(folder, 'other.json'), () => 0).remember(remote('http://a'), 'legacy'),
    ).resolves.toBeUndefined()

    expect(readdirSync(folder).toSorted()).toEqual(['eras.json', 'other.json'])
  })

  test.each(['', 'not json', '[]', 'null', '"text"', '{"x":"y"}', '{"__proto__":5}', '\0\0\0'])(
    'a damaged file (%j) counts as empty and is written anew',
    async (text) => {
      const file = join(await scratchFolder(), 'eras.json')
      writeFileSync(file, text)
      const kept = eras(file, () => 0)

      expect(kept.isLegacy(remote('http://a'))).toBe(false)
      await kept.remember(remote('http://a'), 'legacy')

      expect(kept.isLegacy(remote('http://a'))).toBe(true)
      expect(() => JSON.parse(readFileSync(file, 'utf8')) as unknown).not.toThrow()
    },
  )
})

describe('a server that was remembered as legacy and is now modern only', () => {
  test('is reached over stdio, and is no longer remembered', async () => {
    const home = await scratchFolder()
    const entry = fixture('modern-only')
    const { server } = parseEntry({ ...entry, cwd: home }, { name: 'one' })
    const file = join(home, '.cache', 'capstan', 'eras.json')
    await eras(file, Date.now).remember(server, 'legacy')
    await using hub = await openTestHub({ one: entry }, { home })

    const result = await hub.call({ server: 'one', tool: 'echo' }, { message: 'x' })

    expect(textOf(result)).toBe('x')
    expect(eras(file, Date.now).isLegacy(server)).toBe(false)
  })

  test('is reached over HTTP, and is no longer remembered', async () => {
    const home = await scratchFolder()
    await using server = await startHttpServer({ modern: true, legacy: false })
    const file = join(home, '.cache', 'capstan', 'eras.json')
    await eras(file, Date.now).remember(remote(server.url), 'legacy')
    await using hub = await openTestHub({ web: { url: server.url } }, { home })

    const result = await hub.call({ server: 'web', tool: 'echo' }, { message: 'x' })

    expect(textOf(result)).toBe('x')
    expect(eras(file, Date.now).isLegacy(remote(server.url))).toBe(false)
  })
})

describe('a remote server that forgets us', () => {
  test('a lost session is opened anew, and the call that found out is run once', async () => {
    await using server = await startHttpServer({ modern: false, legacy: true })
    await using hub = await openTestHub({ web: { url: server.url } })
    await hub.call({ server: 'web', tool: 'grow' }, {})
    server.dropSessions()

    const result = await hub.call({ server: 'web', tool: 'grow' }, {})

    expect(textOf(result)).toBe('extra-2')
    expect(server.sessionCount()).toBe(1)
  })

  test('closing the hub ends the session at the server', async () => {
    await using server = await startHttpServer({ modern: false, legacy: true })
    {
      await using hub = await openTestHub({ web: { url: server.url } })
      await hub.call({ server: 'web', tool: 'echo' }, { message: 'x' })
      expect(server.sessionCount()).toBe(1)
    }

    expect(server.sessionCount()).toBe(0)
  })

  test.each([
    ['modern', { modern: true, legacy: false }, {}],
    ['legacy', { modern: false, legacy: true }, {}],
    ['sse', { modern: false, legacy: false, sse: true }, { type: 'sse' }],
  ] as const)('one that has gone is connected anew by the next use (%s)', async (kind, options, entry) => {
    const server = await startHttpServer(options)
    const url = kind === 'sse' ? server.sseUrl : server.url
    await using hub = await openTestHub({ web: { url, ...entry } })
    await hub.call({ server: 'web', tool: 'echo' }, { message: 'x' })

    await server[Symbol.asyncDispose]()
    await hub.call({ server: 'web', tool: 'echo' }, { message: 'x' }).catch(() => undefined)
    const after = hub.call({ server: 'web', tool: 'echo' }, { message: 'x' })

    // A new attempt to connect, which says what is wrong, instead of a connection that stays broken.
    await expect(after).rejects.toMatchObject({ code: expect.stringMatching(/connection_refused|transport_failed/) })
    expect((await hub.servers())[0]?.state.kind).toBe('backing_off')
  })
})
