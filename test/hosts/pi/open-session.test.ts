import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { dialHub } from '../../../src/daemon/dial.ts'
import { daemonSocket } from '../../../src/daemon/socket-path.ts'
import { openPiSession } from '../../../src/hosts/pi/open-session.ts'
import { tempFolder, type TempFolder } from '../../config/temp-folder.ts'
import { fixture } from '../../fixtures/fixture.ts'
import { recordedPi, type RecordedPi } from './recorded-pi.ts'

async function place(mcpServers: object): Promise<TempFolder> {
  const folder = await tempFolder()
  await folder.write({ 'home/.pi/agent/mcp.json': JSON.stringify({ mcpServers }), 'project/.git/': '' })
  return folder
}

function environment({ path }: TempFolder, daemon: 'on' | 'off') {
  return { HOME: join(path, 'home'), PATH: process.env['PATH'], CAPSTAN_DAEMON: daemon }
}

function said({ notices }: RecordedPi, level: string): string {
  return notices
    .filter((notice) => notice.level === level)
    .map(({ message }) => message)
    .join('\n')
}

const allowed = { ...fixture('modern'), alwaysAllow: ['*'] }

test('a daemon that hangs is an error with its reason, and the session opens all the same', async () => {
  await using folder = await place({ demo: allowed })
  const env = environment(folder, 'on')
  const socketPath = daemonSocket(env)
  await mkdir(dirname(socketPath), { recursive: true, mode: 0o700 })
  const silent = createServer().listen(socketPath)
  await once(silent, 'listening')
  const recorded = recordedPi({ cwd: join(folder.path, 'project') })

  await using session = await openPiSession(recorded.pi, { context: recorded.context, env, reachMs: 200 })
  silent.close()

  expect(session).toBeDefined()
  expect(said(recorded, 'error')).toMatch(/cannot be reached: The hub did not answer.*capstan stop/)
})

test('a hub that went away is reached anew by the next call', async () => {
  await using folder = await place({ demo: allowed })
  const env = environment(folder, 'on')
  const recorded = recordedPi({ cwd: join(folder.path, 'project') })
  const stop = async () => {
    const caller = { env, cwd: recorded.context.cwd, client: 'test' }
    await using daemon = await dialHub(daemonSocket(env), { caller })
    await daemon.ask('daemon/stop')
    await daemon.closed
  }
  await using _session = await openPiSession(recorded.pi, { context: recorded.context, env })

  const say = (message: string) => recorded.call('mcp_invoke', { tool: 'demo.echo', arguments: { message } })
  const before = await say('one')
  await stop()
  // A call that is made before the end has been noticed fails, and is not repeated by us.
  await expect.poll(() => say('two').catch(String), { timeout: 20_000 }).toBe('two')
  await stop()

  expect(before).toBe('one')
})

test('/capstan restart takes up a server that was added to the file meanwhile', async () => {
  await using folder = await place({ demo: allowed })
  const recorded = recordedPi({ cwd: join(folder.path, 'project') })
  await using _session = await openPiSession(recorded.pi, {
    context: recorded.context,
    env: environment(folder, 'off'),
  })
  await folder.write({ 'home/.pi/agent/mcp.json': JSON.stringify({ mcpServers: { demo: allowed, more: allowed } }) })

  await recorded.commands.get('capstan')?.handler('restart', recorded.context)

  expect(await recorded.call('mcp_invoke', { tool: 'more.echo', arguments: { message: 'new' } })).toBe('new')
  expect(recorded.commands.has('more:greet')).toBe(true)
})

test('a prompt that has gone from its server says so', async () => {
  await using folder = await place({ demo: allowed })
  const recorded = recordedPi({ cwd: join(folder.path, 'project') })
  await using _session = await openPiSession(recorded.pi, {
    context: recorded.context,
    env: environment(folder, 'off'),
  })
  await folder.write({ 'home/.pi/agent/mcp.json': JSON.stringify({ mcpServers: { other: allowed } }) })
  await recorded.commands.get('capstan')?.handler('restart', recorded.context)

  await recorded.commands.get('demo:greet')?.handler('Bob', recorded.context)

  expect(said(recorded, 'error')).toContain('No prompt "demo:greet"')
})

test('what a person turns away from is a no', async () => {
  await using folder = await place({ demo: fixture('modern') })
  const recorded = recordedPi({ cwd: join(folder.path, 'project'), select: () => undefined })
  await using _session = await openPiSession(recorded.pi, {
    context: recorded.context,
    env: environment(folder, 'off'),
  })

  const call = recorded.call('mcp_invoke', { tool: 'demo.echo', arguments: { message: 'a' } })

  await expect(call).rejects.toThrow('The user does not want this call.')
})

test('a tool that the config denies is not even asked about', async () => {
  await using folder = await place({ demo: { ...fixture('modern'), deny: ['grow'] } })
  const titles: string[] = []
  const select = (title: string) => void titles.push(title)
  const recorded = recordedPi({ cwd: join(folder.path, 'project'), select })
  await using _session = await openPiSession(recorded.pi, {
    context: recorded.context,
    env: environment(folder, 'off'),
  })

  await expect(recorded.call('mcp_invoke', { tool: 'demo.grow' })).rejects.toThrow(/not allowed|No tool/)

  expect(titles).toEqual([])
})

test('code that a person allowed can still call no more than the list of --capstan-allow', async () => {
  await using folder = await place({ demo: fixture('modern') })
  const recorded = recordedPi({ cwd: join(folder.path, 'project'), select: () => 'Yes, this once' })
  await using _session = await openPiSession(recorded.pi, {
    context: recorded.context,
    env: environment(folder, 'off'),
    only: ['demo.grow'],
  })

  const grown = await recorded.call('mcp_exec', { code: 'return (await tools.demo.grow()).length' })
  const echoed = recorded.call('mcp_exec', { code: 'return await tools.demo.echo({ message: "ran" })' })

  expect(grown).not.toBe('')
  await expect(echoed).rejects.toThrow(/echo/)
})

test('an end of the session in the middle of its start leaves nothing behind and says nothing', async () => {
  await using folder = await place({ slow: fixture('slow-start') })
  const recorded = recordedPi({ cwd: join(folder.path, 'project'), mode: 'tui' })
  const session = await openPiSession(recorded.pi, { context: recorded.context, env: environment(folder, 'off') })

  await session?.[Symbol.asyncDispose]()
  await session?.[Symbol.asyncDispose]()

  expect(recorded.notices).toEqual([])
})
