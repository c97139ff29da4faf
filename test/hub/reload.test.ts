import { expect, test } from 'vitest'
import { inlineConfig } from '../../src/config/load.ts'
import type { Config, ConfiguredServer } from '../../src/config/types.ts'
import { openHub } from '../../src/hub/hub.ts'
import { fixture } from '../fixtures/fixture.ts'
import { textOf } from './makers.ts'
import { scratchFolder } from './scratch-folder.ts'

async function configFor() {
  const home = await scratchFolder()
  const env = { PATH: process.env['PATH'], HOME: home }
  return (servers: Parameters<typeof inlineConfig>[0]): Config => inlineConfig(servers, { env, cwd: home })
}

function pidOf(hub: Awaited<ReturnType<typeof openHub>>, server: string): Promise<number> {
  return hub.call({ server, tool: 'pid' }, {}).then((result) => Number(textOf(result)))
}

test('only servers whose entry changed are started anew; calls of the others go on', async () => {
  const config = await configFor()
  const same = fixture('echo')
  await using hub = await openHub(config({ changed: same, kept: same, removed: same }))
  const [changed, kept, removed] = [await pidOf(hub, 'changed'), await pidOf(hub, 'kept'), await pidOf(hub, 'removed')]
  const { promise: isRunning, resolve: onProgress } = Promise.withResolvers<unknown>()
  const running = hub.call({ server: 'kept', tool: 'slow' }, { ms: 800, steps: 40 }, { onProgress })
  await isRunning

  await hub.reload(config({ added: same, changed: { ...same, env: { NEW: 'yes' } }, kept: same }))

  expect(textOf(await running)).toMatch(/\S/)
  expect(await pidOf(hub, 'kept')).toBe(kept)
  expect(await pidOf(hub, 'changed')).not.toBe(changed)
  expect(await pidOf(hub, 'added')).toBeGreaterThan(0)
  expect([changed, removed].filter(isAlive)).toEqual([])
  await expect(pidOf(hub, 'removed')).rejects.toMatchObject({ code: 'server_unknown' })
})

test('neither the order of fields nor an entry it replaces make a server start anew', async () => {
  const config = await configFor()
  const { command, args } = fixture('echo')
  const withShadow = (before: Config): Config => ({
    ...before,
    servers: before.servers.map((server) => ({
      ...server,
      shadows: [{ entry: { command: 'other' }, origin: { layer: 'user' } }],
    })),
  })
  await using hub = await openHub(config({ one: { command, args, timeout: 5 } }))
  const before = await pidOf(hub, 'one')

  await hub.reload(withShadow(config({ one: { timeout: 5, args, command } })))

  expect(await pidOf(hub, 'one')).toBe(before)
})

test('a server that was disabled by hand stays so when its entry has not changed', async () => {
  const config = await configFor()
  await using hub = await openHub(config({ one: fixture('echo') }))
  await hub.control('one', 'disable')

  await hub.reload(config({ one: fixture('echo') }))

  expect((await hub.servers())[0]?.state).toEqual({ kind: 'disabled' })
})

test('disabling and enabling are announced', async () => {
  const config = await configFor()
  await using hub = await openHub(config({ one: fixture('echo') }))
  const seen: string[] = []
  hub.on((event) => event.kind === 'state' && seen.push(event.state.kind))

  await hub.control('one', 'disable')
  await hub.control('one', 'enable')

  expect(seen).toEqual(['disabled', 'idle'])
})

test('a new process starts only after the old one has gone', async () => {
  const config = await configFor()
  await using hub = await openHub(config({ one: fixture('ignores-term') }), {
    grace: { beforeTermMs: 150, beforeKillMs: 150 },
  })
  await hub.catalogue()
  const [before] = (await hub.servers()).map(({ state }) => (state.kind === 'ready' ? state.pid : undefined))
  const overlaps: boolean[] = []
  hub.on((event) => event.kind === 'state' && event.state.kind === 'ready' && overlaps.push(isAlive(before ?? 0)))

  const reloaded = hub.reload(config({ one: fixture('ignores-term', { env: { NEW: 'yes' } }) }))
  await Promise.all([reloaded, hub.catalogue()])

  expect(overlaps).toEqual([false])
})

test('a closed hub takes no new config', async () => {
  const config = await configFor()
  const hub = await openHub(config({}))
  await hub[Symbol.asyncDispose]()

  await hub.reload(config({ one: fixture('echo') }))

  await expect(pidOf(hub, 'one')).rejects.toMatchObject({ code: 'cancelled' })
})

test('enabling a server of a project file that nobody approved starts nothing', async () => {
  const config = await configFor()
  const fromProject = (server: ConfiguredServer): ConfiguredServer => ({
    ...server,
    origin: { layer: 'project', file: '/project/.mcp.json' },
  })
  const off = config({ theirs: { ...fixture('echo'), disabled: true } })
  await using hub = await openHub({ ...off, servers: off.servers.map(fromProject) })

  await hub.control('theirs', 'enable')

  await expect(pidOf(hub, 'theirs')).rejects.toMatchObject({ code: 'not_trusted', next: 'Run: capstan review' })
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
