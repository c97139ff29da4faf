import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { InputQuestion } from '../config/inputs.ts'
import type { RawEntry } from '../config/types.ts'
import type { WaitingAsk } from '../daemon/ask-inbox.ts'
import type { DialledHub } from '../daemon/dial.ts'
import { dialOrStart, dialRunningDaemon, isDaemonWanted } from '../daemon/dial-daemon.ts'
import { messageOf } from '../errors.ts'
import { places } from '../files/places.ts'
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
  return isDaemonWanted(env)
}

/** The hub of the running daemon; undefined where none runs. */
export function dialRunning(setup: DaemonSetup): Promise<DialledHub | undefined> {
  return dialRunningDaemon(callOf(setup))
}

/** The hub of the daemon, which is started when it does not run, and replaced when it is of another version. */
export function dialDaemon(setup: DaemonSetup): Promise<DialledHub> {
  return dialOrStart({
    ...callOf(setup),
    program: [process.execPath, process.argv[1] ?? ''],
    onStarted: () => announceOnce(setup.io),
  })
}

function callOf({ io, flags, signal, client = 'cli', servers, onInput, onWaiting }: DaemonSetup) {
  return {
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
  }
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
