import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { CapstanError } from '../errors.ts'
import { withLock } from '../files/lock.ts'
import { places } from '../files/places.ts'
import { answers } from './dial.ts'

export interface StartOptions {
  readonly socketPath: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** The command line that runs a daemon in the foreground: program and arguments. */
  readonly command: readonly [string, ...string[]]
  readonly signal?: AbortSignal
}

/** Starts the daemon unless it runs. Of many who try at once, one starts it and the others wait. Tells whether it was us. */
export async function startDaemon({ socketPath, env, command, signal }: StartOptions): Promise<boolean> {
  makeFolder(dirname(socketPath))
  return withLock(
    `${socketPath}.start`,
    async () => {
      if (await answers(socketPath)) return false
      await launch({ env, command })
      return true
    },
    signal === undefined ? {} : { signal },
  )
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (cause) {
    throw new CapstanError('start_failed', `The daemon has no place: ${folder} cannot be made.`, {
      cause,
      next: 'Run with --no-daemon, or set XDG_STATE_HOME to a folder you can write to.',
    })
  }
}

/** Where the daemon writes what happens to it. */
function daemonLogFile(env: StartOptions['env']): string {
  return join(places(env).state, 'daemon.log')
}

async function launch({ env, command: [program, ...args] }: Pick<StartOptions, 'env' | 'command'>): Promise<void> {
  const logFile = daemonLogFile(env)
  makeFolder(dirname(logFile))
  const log = openSync(logFile, 'a', 0o600)
  const child = spawn(program, args, {
    env,
    cwd: '/',
    detached: true,
    stdio: ['ignore', 'pipe', log],
    windowsHide: true,
  })
  closeSync(log)
  const { stdout } = child
  if (stdout === null) throw new Error('the daemon was started without a pipe')
  // It says one line when clients can come; until then an exit is a failure.
  const ready = once(stdout, 'data').then(() => 'ready' as const)
  const ended = Promise.race([once(child, 'exit'), once(child, 'error')]).then(() => 'ended' as const)
  const outcome = await Promise.race([ready, ended])
  stdout.destroy()
  child.unref()
  if (outcome === 'ended') {
    throw new CapstanError('start_failed', 'The daemon could not be started.', {
      next: `Look into ${logFile}, or run with --no-daemon.`,
    })
  }
}
