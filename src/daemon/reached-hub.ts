import type { InputQuestion } from '../config/inputs.ts'
import type { ClientId } from '../config/import/clients.ts'
import type { Hub } from '../hub/api.ts'
import type { WaitingAsk } from './ask-inbox.ts'

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

/** With what is absent filled in. */
export type SettledReach = ReachOptions & Required<Pick<ReachOptions, 'env' | 'cwd'>>
