import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { dialHub } from '../../src/daemon/dial.ts'
import { daemonSocket } from '../../src/daemon/socket-path.ts'
import type { Hub } from '../../src/hub/api.ts'
import { openTestHub, temporaryFolder, type Servers } from '../hub/makers.ts'

/** A place where servers run: this process, or a daemon. */
export interface Site extends AsyncDisposable {
  readonly name: string
  /** A hub for one worker: behind a daemon a client of its own. */
  readonly enter: () => Promise<Hub>
  /** What it holds, after whatever can be thrown away was. */
  readonly heldBytes: () => Promise<number>
}

export async function thisProcess(servers: Servers): Promise<Site> {
  const hub = await openTestHub(servers)
  return {
    name: 'in process',
    enter: async () => ({ ...hub, async [Symbol.asyncDispose]() {} }),
    async heldBytes() {
      globalThis.gc?.()
      const { heapUsed, external } = process.memoryUsage()
      return heapUsed + external
    },
    [Symbol.asyncDispose]: () => hub[Symbol.asyncDispose](),
  }
}

/** The daemon, from the sources, in a process and a home of its own. */
export async function aDaemon(servers: Servers): Promise<Site> {
  const home = await temporaryFolder()
  const env = { PATH: process.env['PATH'], HOME: home }
  const config = join(home, '.config/capstan/mcp.json')
  await mkdir(dirname(config), { recursive: true })
  await writeFile(config, JSON.stringify({ mcpServers: servers }))
  const socketPath = daemonSocket(env)
  const child = spawn(process.execPath, ['--expose-gc', '--input-type=module-typescript', '--eval', daemonProgram], {
    env: { ...env, SOCKET: socketPath },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  await once(child, 'message')
  const caller = { cwd: home, env, trustProject: false, client: 'soak' }
  const watching = await dialHub(socketPath, { caller })
  return {
    name: 'daemon',
    enter: () => dialHub(socketPath, { caller }),
    async heldBytes() {
      child.send('held?')
      const [bytes] = (await once(child, 'message')) as [number]
      return bytes
    },
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit')
      await watching.ask('daemon/stop')
      await ended
      await watching[Symbol.asyncDispose]()
      await rm(home, { recursive: true, force: true })
    },
  }
}

const daemonProgram = `
  import { runDaemon } from ${JSON.stringify(new URL('../../src/daemon/run-daemon.ts', import.meta.url).href)}
  const { SOCKET: socketPath, ...env } = process.env
  process.on('message', () => {
    globalThis.gc()
    const { heapUsed, external } = process.memoryUsage()
    process.send(heapUsed + external)
  })
  // It must be able to end by itself.
  process.channel.unref()
  await runDaemon({
    socketPath, env, idleMs: 3_600_000, signal: new AbortController().signal,
    onReady: () => process.send('ready'), log: () => {},
  })
`

/** A remote server in a process of its own, because it keeps every request that it has seen. */
export async function aRemoteServer(): Promise<
  AsyncDisposable & { readonly url: string; readonly forgetSessions: () => void }
> {
  const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', remoteProgram], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [url] = (await once(child.stdout, 'data')) as [Buffer]
  return {
    url: url.toString().trim(),
    forgetSessions: () => void child.kill('SIGUSR2'),
    async [Symbol.asyncDispose]() {
      child.kill()
      await once(child, 'exit')
    },
  }
}

const remoteProgram = `
  import { startHttpServer } from ${JSON.stringify(new URL('../fixtures/http-server.ts', import.meta.url).href)}
  const server = await startHttpServer({ modern: false })
  process.on('SIGUSR2', server.dropSessions)
  console.log(server.url)
`
