import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '../hub/makers.ts'

const program = fileURLToPath(new URL('../../src/cli/bin.ts', import.meta.url))

/** A home with a config, in which `capstan serve` can be started as people do. */
export interface ServingHome extends AsyncDisposable {
  readonly writeConfig: (text: string) => Promise<void>
  /** Starts a gateway over HTTP with servers of its own; port 0 is any. */
  readonly serve: (port?: number) => Promise<Served>
}

export interface Served {
  readonly url: URL
  /** What it has said to stderr. */
  readonly said: () => string
  readonly end: (signal: NodeJS.Signals) => Promise<void>
}

export async function servingHome(): Promise<ServingHome> {
  const home = await temporaryFolder()
  const file = join(home, '.config/capstan/mcp.json')
  const running = new Set<Served>()
  return {
    async writeConfig(text) {
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, text)
    },
    async serve(port = 0) {
      const served = await startServe(home, port)
      running.add(served)
      return served
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...running].map(({ end }) => end('SIGTERM')))
      await rm(home, { recursive: true, force: true })
    },
  }
}

async function startServe(home: string, port: number): Promise<Served> {
  const child = spawn(process.execPath, [program, 'serve', '--http', String(port), '--own', '--mode', 'all'], {
    cwd: home,
    env: { PATH: process.env['PATH'], HOME: home, CAPSTAN_DAEMON: 'off' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'close')
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => void (said += chunk.toString()))
  const [line] = (await Promise.race([
    once(createInterface(child.stdout), 'line'),
    ended.then(() => Promise.reject(new Error(`the gateway has ended: ${said}`))),
  ])) as [string]
  return {
    url: new URL(line),
    said: () => said,
    async end(signal) {
      child.kill(signal)
      await ended
    },
  }
}
