import type { InputQuestion } from '../config/inputs.ts'
import type { ClientId } from '../config/import/clients.ts'
import { CapstanError } from '../errors.ts'
import type { Hub } from '../hub/api.ts'
import type { WaitingAsk } from './ask-inbox.ts'
import { dialDaemon, isDaemonWanted } from './dial-daemon.ts'
import { ownProgram } from './own-program.ts'

export interface ReachOptions {
  /** Who calls, for the log of calls; callers of the same name share servers that are one client's own. */
  readonly client: string
  /** The environment of the process when absent. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** The current folder when absent. */
  readonly cwd?: string
  /** Files instead of the person's and the project's; they count as the person's. */
  readonly configFiles?: readonly string[]
  /** Clients whose own files of servers count besides Capstan's. */
  readonly clients?: readonly ClientId[]
  /** Use the servers of the project's files without asking: for CI. */
  readonly trustProject?: boolean
  /** Aborting it closes the hub. */
  readonly signal?: AbortSignal
  /** Gives the value of an `${input:id}` that nobody has given yet. */
  readonly onInput?: (question: InputQuestion) => Promise<string>
  /** Hears of a question of a server that waits in `capstan review`, because the call named no answerer. */
  readonly onWaiting?: (waiting: WaitingAsk) => void
}

/** A hub that was reached, wherever its servers run. */
export interface ReachedHub extends Hub {
  readonly where: 'daemon' | 'process'
  /** What a person should know about their config. */
  readonly warnings: readonly string[]
  /** Resolves when the hub has gone without being closed: then it can be reached anew. */
  readonly closed: Promise<void>
}

/**
 * The person's hub, as the command line has it: the daemon's, which is started when none runs. Where no daemon is wanted or can be
 * had, the servers run in this process.
 */
export async function reachHub(options: ReachOptions): Promise<ReachedHub> {
  const env = options.env ?? process.env
  const cwd = options.cwd ?? process.cwd()
  const warm = isDaemonWanted(env) ? await reachDaemon({ ...options, env, cwd }) : undefined
  if (warm !== undefined) return warm
  const { openLocalHub } = await import('./local-hub.ts')
  return openLocalHub({ ...options, env, cwd })
}

export type SettledReach = ReachOptions & Required<Pick<ReachOptions, 'env' | 'cwd'>>

async function reachDaemon(options: SettledReach): Promise<ReachedHub | undefined> {
  const { client, env, cwd, configFiles, clients, trustProject, signal, onInput, onWaiting } = options
  try {
    const hub = await dialDaemon({
      program: ownProgram(),
      caller: {
        client,
        env,
        cwd,
        ...(configFiles === undefined ? {} : { configFiles }),
        ...(clients === undefined ? {} : { clients }),
        ...(trustProject === undefined ? {} : { trustProject }),
      },
      ...(signal === undefined ? {} : { signal }),
      ...(onInput === undefined ? {} : { onInput }),
      ...(onWaiting === undefined ? {} : { onWaiting }),
    })
    return { ...hub, where: 'daemon', warnings: hub.welcome.warnings }
  } catch (error) {
    if (error instanceof CapstanError && noDaemon.has(error.code)) return undefined
    throw error
  }
}

/** No daemon can be had, which is no reason to fail. */
const noDaemon: ReadonlySet<string> = new Set(['start_failed', 'connection_refused', 'not_allowed'])
