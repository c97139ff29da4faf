import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { InputQuestion } from '../config/inputs.ts'
import type { RawEntry } from '../config/types.ts'
import type { WaitingAsk } from '../daemon/ask-inbox.ts'
import { dialHub, type DialledHub } from '../daemon/dial.ts'
import { daemonSocket, isOurFolder } from '../daemon/socket-path.ts'
import { CapstanError, messageOf } from '../errors.ts'
import { places } from '../files/places.ts'
import { version } from '../version.ts'
import type { GlobalFlags, Io } from './command.ts'

export interface DaemonSetup {
  readonly io: Io
  readonly flags: GlobalFlags
  readonly signal: AbortSignal
  /** Who calls; a command of the command line when absent. */
  readonly client?: string
  /** Servers that stand in no file. */
  readonly servers?: Readonly<Record<string, RawEntry>>
  readonly onInput?: (question: InputQuestion) => Promise<string>
  readonly onWaiting?: (waiting: WaitingAsk) => void
}

/** Whether this command should use the hub that is kept warm. */
export function wantsDaemon({ env }: Io, flags: GlobalFlags): boolean {
  const isAdhoc = flags.stdio !== undefined || flags.url !== undefined
  // Protocol messages can only be seen by whoever sends them.
  if (isAdhoc || flags.debug || flags.noDaemon) return false
  const wish = env['CAPSTAN_DAEMON']
  if (wish === 'off' || wish === '0') return false
  return wish !== undefined || !isTrue(env['CI'])
}

function isTrue(value: string | undefined): boolean {
  return value !== undefined && value !== '' && value !== '0' && value !== 'false'
}

/** The hub of the running daemon; undefined where none runs. */
export async function dialRunning(setup: DaemonSetup): Promise<DialledHub | undefined> {
  const socketPath = daemonSocket(setup.io.env)
  if (!isOurFolder(socketPath)) return undefined
  try {
    return await dial(setup, socketPath)
  } catch (error) {
    if (error instanceof CapstanError && error.code === 'connection_refused') return undefined
    throw error
  }
}

/** The hub of the daemon, which is started when it does not run, and replaced when it is of another version. */
export async function dialDaemon(setup: DaemonSetup): Promise<DialledHub> {
  const running = await dialRunning(setup)
  if (running?.welcome.version === version) return running
  if (running !== undefined) {
    await running.ask('daemon/retire')
    await running[Symbol.asyncDispose]()
  }
  const wasStarted = await start(setup)
  if (wasStarted) announceOnce(setup.io)
  return dial(setup, daemonSocket(setup.io.env))
}

async function dial(
  { io, flags, signal, client = 'cli', servers, onInput, onWaiting }: DaemonSetup,
  socketPath: string,
): Promise<DialledHub> {
  return dialHub(socketPath, {
    signal,
    caller: {
      cwd: io.cwd,
      env: io.env,
      client,
      ...(flags.config.length === 0 ? {} : { configFiles: flags.config }),
      ...(flags.trustProject ? { trustProject: true } : {}),
      ...(servers === undefined ? {} : { servers }),
    },
    ...(onInput === undefined ? {} : { onInput }),
    ...(onWaiting === undefined ? {} : { onWaiting }),
  })
}

async function start({ io, signal }: DaemonSetup): Promise<boolean> {
  const socketPath = daemonSocket(io.env)
  if (!isOurFolder(socketPath)) {
    throw new CapstanError(
      'not_allowed',
      `The folder ${dirname(socketPath)} is open to other users, so no daemon is used.`,
      {
        next: `Run: chmod 700 ${dirname(socketPath)}`,
      },
    )
  }
  const { startDaemon } = await import('../daemon/start-daemon.ts')
  const command = [process.execPath, process.argv[1] ?? '', 'start', '--foreground', '--socket', socketPath] as const
  return startDaemon({ socketPath, env: io.env, command: [...command], signal })
}

/** The very first time, a person should know that something of ours stays. */
function announceOnce(io: Io): void {
  const marker = join(places(io.env).state, 'daemon-announced')
  if (existsSync(marker)) return
  io.err(
    'capstan: servers are now kept warm in the background for 15 idle minutes (turn off: --no-daemon or CAPSTAN_DAEMON=off)\n',
  )
  try {
    mkdirSync(dirname(marker), { recursive: true, mode: 0o700 })
    writeFileSync(marker, '')
  } catch (error) {
    // Then it is said again next time, which does no harm.
    if (io.env['CAPSTAN_DEBUG'] !== undefined) io.err(`${messageOf(error)}\n`)
  }
}
