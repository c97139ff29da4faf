import { randomUUID } from 'node:crypto'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describe, expect, test, vi } from 'vitest'
import { fixture, type FixtureName } from '../fixtures/fixture.ts'
import { isRunning, processesWith, world, type World } from './cli.ts'

/** Both its own process and its grandchild carry the marker, so that the process table can be asked for them. */
function marked(name: FixtureName, marker: string, args: readonly string[] = []) {
  return fixture(name, { args: [...args, marker] })
}

const patience = { timeout: 20_000 }

async function withServer(entry: unknown): Promise<World> {
  const home = await world()
  await home.write({ '~/.config/capstan/mcp.json': { mcpServers: { one: entry } } })
  return home
}

describe.skipIf(process.platform !== 'linux')('nothing of ours outlives us', () => {
  test('after a normal call, with a wrapper between us and the server', async () => {
    const marker = randomUUID()
    await using home = await withServer(marked('wrapper', marker, ['echo']))

    const { code, stderr } = await home.capstan(['call', 'one.pid'])

    expect([code, stderr]).toEqual([0, ''])
    expect(processesWith(marker)).toEqual([])
  })

  test('after a normal call to a server that ignores the end of stdin and TERM, and so does its child', async () => {
    const marker = randomUUID()
    await using home = await withServer(marked('ignores-term', marker))

    const { code, stdout } = await home.capstan(['call', 'one.pids'])

    expect(code).toBe(0)
    const pids = JSON.parse(stdout) as readonly number[]
    expect(pids.filter(isRunning)).toEqual([])
  })

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('after %s in the middle of a call', async (signal) => {
    const marker = randomUUID()
    await using home = await withServer(marked('wrapper', marker, ['echo']))
    const running = home.start(['call', 'one.slow', 'ms=60000', 'steps=600'])
    await once(running.child.stderr ?? running.child, 'data')
    expect(processesWith(marker).length).toBeGreaterThan(0)

    running.child.kill(signal)
    const { code } = await running.ended

    expect(code).toBe(130)
    expect(processesWith(marker)).toEqual([])
  })

  test('after Ctrl-C twice, at once, with a server that ignores everything', async () => {
    const marker = randomUUID()
    await using home = await withServer(marked('ignores-term', marker))
    const running = home.start(['call', 'one.pids', '--debug'])
    await vi.waitFor(() => expect(processesWith(marker).length).toBeGreaterThan(0), patience)

    running.child.kill('SIGINT')
    running.child.kill('SIGINT')
    await running.ended

    await vi.waitFor(() => expect(processesWith(marker)).toEqual([]), patience)
  })

  test('after an uncaught error in a program that holds a hub', async () => {
    const marker = randomUUID()
    await using home = await withServer(marked('wrapper', marker, ['echo']))
    const program = fileURLToPath(new URL('../fixtures/programs/throws-with-open-hub.ts', import.meta.url))
    const child = spawn(process.execPath, [program, JSON.stringify(marked('wrapper', marker, ['echo']))], {
      env: { PATH: process.env['PATH'], HOME: home.home },
      stdio: ['ignore', 'ignore', 'pipe'],
    })

    const [code] = (await once(child, 'exit')) as [number]

    expect(code).not.toBe(0)
    await vi.waitFor(() => expect(processesWith(marker)).toEqual([]), patience)
  })

  test('after kill -9, because the end of stdin stops the servers', async () => {
    const marker = randomUUID()
    await using home = await withServer(marked('wrapper', marker, ['echo']))
    const running = home.start(['call', 'one.slow', 'ms=60000', 'steps=600'])
    await once(running.child.stderr ?? running.child, 'data')

    running.child.kill('SIGKILL')
    await running.ended

    await vi.waitFor(() => expect(processesWith(marker)).toEqual([]), patience)
  })

  test('after kill -9 with a server that ignores all that, from the next command on', async () => {
    const marker = randomUUID()
    await using home = await withServer(marked('ignores-term', marker))
    const running = home.start(['call', 'one.pids', '--debug'])
    // It has spoken to its server, so it has noted whom it started.
    await once(running.child.stderr ?? running.child, 'data')
    running.child.kill('SIGKILL')
    await running.ended
    expect(processesWith(marker).length).toBeGreaterThan(0)

    await home.capstan(['list', '--stdio', `${process.execPath} ${fixture('echo').args[0]}`])

    await vi.waitFor(() => expect(processesWith(marker)).toEqual([]), patience)
  })
})
