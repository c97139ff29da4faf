import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { dialHub } from '../../src/daemon/dial.ts'
import { reachHub } from '../../src/daemon/reach-hub.ts'
import { daemonSocket } from '../../src/daemon/socket-path.ts'
import { tempFolder, type TempFolder } from '../config/temp-folder.ts'
import { fixture } from '../fixtures/fixture.ts'

async function place(): Promise<TempFolder> {
  const folder = await tempFolder()
  const file = JSON.stringify({ mcpServers: { demo: fixture('echo') } })
  await folder.write({ 'home/.pi/agent/mcp.json': file, 'project/.git/': '' })
  return folder
}

function options({ path }: TempFolder, env: Readonly<Record<string, string>>) {
  const all = { HOME: join(path, 'home'), PATH: process.env['PATH'], ...env }
  return { client: 'test', env: all, cwd: join(path, 'project'), clients: ['pi' as const] }
}

test('where no daemon is wanted the servers run in this process, with those of the clients that were named', async () => {
  await using folder = await place()
  await using hub = await reachHub(options(folder, { CAPSTAN_DAEMON: 'off' }))

  const result = await hub.call({ server: 'demo', tool: 'echo' }, { message: 'here' })

  expect(hub.where).toBe('process')
  expect(result.content).toMatchObject([{ text: 'here' }])
})

test('where no daemon can be had the servers run in this process', async () => {
  await using folder = await place()
  // The daemon's socket would have to be in a folder that everybody can enter.
  await mkdir(join(folder.path, 'open/capstan'), { recursive: true, mode: 0o777 })
  await using hub = await reachHub(
    options(folder, { XDG_RUNTIME_DIR: join(folder.path, 'open'), CAPSTAN_DAEMON: 'on' }),
  )

  expect(hub.where).toBe('process')
})

test('the daemon is started for the first who comes, serves the next, and its end can be heard of', async () => {
  await using folder = await place()
  const reach = options(folder, { CAPSTAN_DAEMON: 'on' })
  await using first = await reachHub(reach)
  await using second = await reachHub(reach)

  const result = await second.call({ server: 'demo', tool: 'echo' }, { message: 'there' })
  const { cwd, env, client } = reach
  await using dialled = await dialHub(daemonSocket(env), { caller: { cwd, env, client } })
  await dialled.ask('daemon/stop')
  await Promise.all([first.closed, second.closed])

  expect([first.where, second.where]).toEqual(['daemon', 'daemon'])
  expect(result.content).toMatchObject([{ text: 'there' }])
})
