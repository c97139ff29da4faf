import { dirname } from 'node:path'
import { CapstanError } from '../errors.ts'
import { version } from '../version.ts'
import { dialHub, type DialledHub, type DialOptions } from './dial.ts'
import type { Caller } from './protocol.ts'
import { daemonSocket, isOurFolder } from './socket-path.ts'

export interface DaemonCall extends DialOptions {
  readonly caller: Caller
  /** The program that starts a daemon, and its arguments before `start`. */
  readonly program: readonly [string, ...string[]]
  /** Called when none had been running. */
  readonly onStarted?: () => void
}

/** Whether the person wants servers to be kept warm: not in CI, and not where they said so. */
export function isDaemonWanted(env: Caller['env']): boolean {
  const wish = env['CAPSTAN_DAEMON']
  if (wish === 'off' || wish === '0') return false
  return wish !== undefined || !isTrue(env['CI'])
}

function isTrue(value: string | undefined): boolean {
  return value !== undefined && value !== '' && value !== '0' && value !== 'false'
}

/** The hub of the running daemon; undefined where none runs. */
export async function dialRunningDaemon({
  caller,
  ...options
}: DialOptions & Pick<DaemonCall, 'caller'>): Promise<DialledHub | undefined> {
  const socketPath = daemonSocket(caller.env)
  if (!isOurFolder(socketPath)) return undefined
  try {
    return await dialHub(socketPath, { caller, ...options })
  } catch (error) {
    if (error instanceof CapstanError && error.code === 'connection_refused') return undefined
    throw error
  }
}

/** By itself Node lets short-lived values pile up until a busy daemon holds twice the memory, and gets slower for it. */
const lean = ['--max-semi-space-size=8']

/** The hub of the daemon, which is started when it does not run, and replaced when it is of another version. */
export async function dialOrStart({ program, onStarted, ...call }: DaemonCall): Promise<DialledHub> {
  const [node, ...script] = program
  const running = await dialRunningDaemon(call)
  if (running?.welcome.version === version) return running
  if (running !== undefined) {
    await running.ask('daemon/retire')
    await running[Symbol.asyncDispose]()
  }
  const { env } = call.caller
  const socketPath = daemonSocket(env)
  if (!isOurFolder(socketPath)) throw openFolder(socketPath)
  const { startDaemon } = await import('./start-daemon.ts')
  const wasStarted = await startDaemon({
    socketPath,
    env,
    command: [node, ...lean, ...script, 'start', '--foreground', '--socket', socketPath],
    ...(call.signal === undefined ? {} : { signal: call.signal }),
  })
  if (wasStarted) onStarted?.()
  return dialHub(socketPath, call)
}

/** No daemon can be had, which is no reason to fail: the servers can run in this process. */
export function cannotBeHad(error: unknown): error is CapstanError {
  return error instanceof CapstanError && ['start_failed', 'connection_refused', 'not_allowed'].includes(error.code)
}

function openFolder(socketPath: string): CapstanError {
  return new CapstanError(
    'not_allowed',
    `The folder ${dirname(socketPath)} is open to other users, so no daemon is used.`,
    { next: `Run: chmod 700 ${dirname(socketPath)}` },
  )
}
