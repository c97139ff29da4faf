import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The built command line, as users get it. */
export const bin = fileURLToPath(new URL('../../dist/cli/bin.js', import.meta.url))

export interface Outcome {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface World extends AsyncDisposable {
  readonly home: string
  /** A project folder to stand in. */
  readonly cwd: string
  readonly write: (files: Readonly<Record<string, unknown>>) => Promise<void>
  /** Runs `capstan` to its end. */
  readonly capstan: (args: readonly string[], options?: RunOptions) => Promise<Outcome>
  /** Starts `capstan` and leaves it running. */
  readonly start: (args: readonly string[], options?: RunOptions) => RunningCli
}

export interface RunOptions {
  readonly input?: string
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

export interface RunningCli {
  readonly child: ChildProcess
  readonly ended: Promise<Outcome>
}

/** A fresh home and project folder, and the built CLI in them: nothing of the real user is seen or touched. */
export async function world(): Promise<World> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'capstan-e2e-')))
  const home = join(root, 'home')
  const cwd = join(root, 'project')
  await mkdir(home)
  await mkdir(cwd)
  const start = (args: readonly string[], options: RunOptions = {}): RunningCli => {
    const child = spawn(process.execPath, [bin, ...args], {
      cwd: options.cwd ?? cwd,
      // A daemon would outlive the test; the tests that want one say so.
      env: { PATH: process.env['PATH'], HOME: home, CAPSTAN_DAEMON: 'off', ...options.env },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    child.stdin.end(options.input ?? '')
    const chunks: { readonly out: Buffer[]; readonly err: Buffer[] } = { out: [], err: [] }
    child.stdout.on('data', (chunk: Buffer) => chunks.out.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => chunks.err.push(chunk))
    const ended = once(child, 'close').then(([code]) => ({
      code: code as number | null,
      stdout: Buffer.concat(chunks.out).toString('utf8'),
      stderr: Buffer.concat(chunks.err).toString('utf8'),
    }))
    return { child, ended }
  }
  return {
    home,
    cwd,
    start,
    capstan: (args, options) => start(args, options).ended,
    async write(files) {
      for (const [name, content] of Object.entries(files)) {
        const file = name.startsWith('~/') ? join(home, name.slice(2)) : join(cwd, name)
        await mkdir(dirname(file), { recursive: true })
        await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content, null, 2))
      }
    },
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  }
}

/** The ids of the processes whose command line holds a text, from the real process table. */
export function processesWith(text: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => commandLine(pid).includes(text))
    .map(Number)
}

/** Whether a process still runs; one that has ended and only waits to be reaped does not. */
export function isRunning(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

function commandLine(pid: string): string {
  try {
    return isRunning(Number(pid)) ? readFileSync(`/proc/${pid}/cmdline`, 'utf8') : ''
  } catch {
    // It ended while we looked.
    return ''
  }
}
