import { expect, test } from 'vitest'
import { dialHub, type DialledHub } from '../../src/daemon/dial.ts'
import { runDaemon } from '../../src/daemon/run-daemon.ts'
import { daemonSocket } from '../../src/daemon/socket-path.ts'
import { tempFolder } from '../config/temp-folder.ts'

test('a client that comes in the very moment the socket is there is served like any other', async () => {
  await using home = await tempFolder()
  const env = { HOME: home.path, PATH: process.env['PATH'] }
  const socketPath = daemonSocket(env)
  const stop = new AbortController()
  let isReady = false
  const running = runDaemon({
    socketPath,
    env,
    idleMs: 60_000,
    signal: stop.signal,
    onReady: () => (isReady = true),
    log: () => undefined,
  })

  const hub = await dialAsSoonAsPossible(() => dialHub(socketPath, { caller: { env, cwd: home.path, client: 'test' } }))

  expect(await hub.servers()).toMatchObject([{ name: 'prompts', isBuiltin: true }])
  await hub[Symbol.asyncDispose]()
  stop.abort()
  await running
  expect(isReady).toBe(true)
})

test('a daemon that ends while a client is there leaves no timer behind, which would keep its process', async () => {
  await using home = await tempFolder()
  const env = { HOME: home.path, PATH: process.env['PATH'] }
  const socketPath = daemonSocket(env)
  const before = timers()
  const running = runDaemon({
    socketPath,
    env,
    idleMs: 60_000,
    signal: new AbortController().signal,
    onReady: () => undefined,
    log: () => undefined,
  })
  const hub = await dialAsSoonAsPossible(() => dialHub(socketPath, { caller: { env, cwd: home.path, client: 'test' } }))

  await hub.ask('daemon/stop')
  await running
  await hub.closed

  expect(timers()).toBeLessThanOrEqual(before)
})

test('a client that cannot ask its person is told what to set for an input, like without a daemon', async () => {
  await using home = await tempFolder()
  const env = { HOME: home.path, PATH: process.env['PATH'] }
  const entry = { command: 'node', args: ['-e', ''], env: { KEY: '${input:key}' } }
  await home.write({ '.config/capstan/mcp.json': JSON.stringify({ mcpServers: { one: entry } }) })
  const socketPath = daemonSocket(env)
  const stop = new AbortController()
  const running = runDaemon({
    socketPath,
    env,
    idleMs: 60_000,
    signal: stop.signal,
    onReady: () => undefined,
    log: () => undefined,
  })
  const hub = await dialAsSoonAsPossible(() => dialHub(socketPath, { caller: { env, cwd: home.path, client: 'test' } }))

  const call = hub.call({ server: 'one', tool: 'any' }, {})

  await expect(call).rejects.toMatchObject({
    message: expect.stringContaining('needs the input "key"') as string,
    next: expect.stringContaining('CAPSTAN_INPUT_KEY') as string,
  })
  await hub[Symbol.asyncDispose]()
  stop.abort()
  await running
})

function timers(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
}

async function dialAsSoonAsPossible(dial: () => Promise<DialledHub>): Promise<DialledHub> {
  for (;;) {
    try {
      return await dial()
    } catch {
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
}
