import type { Hub } from '../hub/api.ts'
import type { Asks } from './asks.ts'
import type { Model } from './model.ts'
import type { Permissions } from './permissions.ts'
import type { ConversationEntry } from './record.ts'
import type { Notice, SessionEvent } from './session.ts'

/** Time, so that tests need not wait for it. */
export interface Clock {
  readonly now: () => number
  /** Resolves after so many ms, or at once when the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
}

/** What a turn works with. */
export interface TurnWorld {
  readonly hub: Hub
  readonly permissions: Permissions
  readonly asks: Asks
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly emit: (event: SessionEvent) => void
  readonly notice: (notice: Notice) => void
  readonly entries: () => readonly ConversationEntry[]
  /** Into the conversation, and its file. */
  readonly append: (entry: ConversationEntry) => Promise<void>
  readonly model: () => Model
  /** The model turned out to take no tools. */
  readonly switchToXml: () => void
  readonly settings: TurnSettings
}

export interface TurnSettings {
  /** Whether there is a person to ask. */
  readonly mayAsk: boolean
  /** Steps of the model in one turn. */
  readonly maxSteps: number
  readonly inlinePercent: number
}
