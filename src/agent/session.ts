import type { ErrorJson } from '../errors.ts'
import type { Answer, Ask, Progress, ToolEntry } from '../hub/api.ts'
import type { JsonObject } from '../hub/values.ts'
import type { Model } from './model.ts'
import type { CallEnd, CallInput, ContentPart, ConversationEntry, Reply, UserMessage, Usage } from './record.ts'

/** What a person sends: a line as they typed it, or messages that are ready (a rendered prompt, a line with attachments). */
export type SessionInput =
  | { readonly kind: 'line'; readonly text: string }
  | {
      readonly kind: 'messages'
      /** What it is called in the queue. */
      readonly text: string
      readonly messages: readonly PreparedMessage[]
    }

/** A message before it has entered the conversation. */
export type PreparedMessage =
  | { readonly role: 'user'; readonly parts: readonly ContentPart[]; readonly prompt?: string }
  | { readonly role: 'assistant'; readonly text: string; readonly prompt?: string }

/**
 * The normal path of a typed line, when its turn has come: a slash command runs (`handled`), a prompt is rendered, `@` mentions are
 * read. The commands provide it; without one a line is a message.
 */
export type PrepareLine = (
  line: string,
  options: { readonly signal: AbortSignal },
) => Promise<
  { readonly kind: 'messages'; readonly messages: readonly PreparedMessage[] } | { readonly kind: 'handled' }
>

/** How what was sent ended. */
export type TurnOutcome =
  /** The model has answered; `text` is its last reply. `refusals` are the tools that it was not allowed to call. */
  | { readonly kind: 'answered'; readonly text: string; readonly refusals: readonly string[] }
  /** A slash command; the model was not asked. */
  | { readonly kind: 'handled' }
  | { readonly kind: 'stopped' }
  /** It was taken out of the queue. */
  | { readonly kind: 'dropped' }
  | { readonly kind: 'failed'; readonly error: ErrorJson }

/** The state of one call, as it goes: pending → (waiting) → processing → ended. */
export type CallState =
  /** Its arguments are being written. One that gets no further was not whole when the reply broke off: it does not run. */
  | { readonly kind: 'pending' }
  /** A person is being asked. */
  | { readonly kind: 'waiting' }
  | { readonly kind: 'processing'; readonly sinceMs: number; readonly progress?: Progress }
  | { readonly kind: 'ended'; readonly end: CallEnd; readonly parts: readonly ContentPart[]; readonly ms: number }

export interface CallView {
  readonly callId: string
  /** What a person reads: `server.tool`, or the name as the model wrote it. */
  readonly label: string
  readonly input?: CallInput
  readonly state: CallState
}

/** Something that only the person can decide. It is answered with `answer`, in any order. */
export type SessionAsk =
  | {
      readonly kind: 'permission'
      readonly id: string
      readonly callId: string
      /** `server.tool`, or the name of one of our own tools. */
      readonly label: string
      readonly tool?: ToolEntry
      readonly input: JsonObject
      /** What the tool's hints mean, in words: "may delete or overwrite", "reaches out to the world". */
      readonly hints: readonly string[]
      /** The tool had been allowed, and has changed since. */
      readonly isChanged: boolean
      readonly choices: readonly PermissionChoice[]
    }
  /** What a server asks in the middle of a call: a form, a page to visit. */
  | { readonly kind: 'server'; readonly id: string; readonly callId?: string; readonly ask: Ask }

export type PermissionChoice = 'once' | 'session' | 'always-tool' | 'always-server' | 'no'

export type SessionAnswer =
  | { readonly kind: 'permission'; readonly choice: PermissionChoice; readonly reason?: string }
  | { readonly kind: 'server'; readonly answer: Answer }

export interface QueueEntry {
  readonly id: string
  readonly text: string
  readonly input: SessionInput
}

/** News that changes no state. Code decides on `code`, people read `text`. */
export interface Notice {
  readonly level: 'info' | 'warning' | 'error'
  readonly code:
    | 'no_model'
    | 'many_tools'
    | 'servers_missing'
    | 'retrying'
    | 'reply_cut'
    | 'reply_too_long'
    | 'reply_filtered'
    | 'reply_empty'
    | 'context_full'
    | 'context_filling'
    | 'xml_tools'
    | 'not_taken'
    | 'not_saved'
    | 'compacted'
    | 'steps_used_up'
  readonly text: string
  readonly next?: string
}

export type SessionEvent =
  | { readonly kind: 'turn_started' }
  | { readonly kind: 'message'; readonly message: UserMessage | Reply }
  /** Text of the reply that is being written. A whole reply comes as `message` afterwards. */
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'thinking'; readonly text: string }
  /** The reply that was being written is given up and begun anew: what was shown of it no longer holds. */
  | { readonly kind: 'reply_restarts' }
  | { readonly kind: 'call'; readonly call: CallView }
  | { readonly kind: 'ask'; readonly ask: SessionAsk }
  /** It was answered, or nobody waits for the answer any more. */
  | { readonly kind: 'ask_closed'; readonly id: string }
  | { readonly kind: 'queue'; readonly entries: readonly QueueEntry[]; readonly isHeld: boolean }
  | { readonly kind: 'usage'; readonly step: Usage; readonly total: Usage }
  | { readonly kind: 'notice'; readonly notice: Notice }
  | { readonly kind: 'changed'; readonly status: SessionStatus }
  | { readonly kind: 'turn_ended'; readonly outcome: TurnOutcome }

export interface SessionStatus {
  readonly conversation: string
  readonly title: string | undefined
  readonly model: string | undefined
  readonly contextTokens: number
  /** How large the conversation was in the last step; 0 before the first. */
  readonly usedTokens: number
  /** How the model gets the tools: each declared, or search, inspect, call and exec instead. */
  readonly tools: { readonly mode: 'each' | 'search'; readonly count: number; readonly tokens: number } | undefined
  readonly total: Usage
  readonly isBusy: boolean
}

/** A permission that holds: for this session, or saved for this project. */
export interface PermissionView {
  readonly id: string
  readonly scope: 'session' | 'project'
  readonly server: string
  /** Absent: all tools of the server. */
  readonly tool?: string
}

/**
 * One conversation with a model and the hub's tools. It knows no terminal: tests, the screen, `ask` and editors drive it through
 * these methods and its events.
 */
export interface Session extends AsyncDisposable {
  /** Sends, or queues while a turn is under way. Resolves when its own turn has ended; never rejects for what a model or tool does. */
  send(input: SessionInput): Promise<TurnOutcome>
  /** Stops the turn: the model's reply, and its calls at their servers. The conversation stays whole, and the queue is held. */
  abort(): void
  answer(askId: string, answer: SessionAnswer): void
  readonly queue: SessionQueue
  /** The whole conversation, from its first line. */
  history(): readonly ConversationEntry[]
  status(): SessionStatus
  useModel(model: Model): void
  /** Replaces what the model sees of the conversation so far by a summary that it writes. The file keeps everything. */
  compact(): Promise<TurnOutcome>
  rename(title: string): Promise<void>
  permissions(): readonly PermissionView[]
  revoke(permissionId: string): Promise<void>
  on(listener: (event: SessionEvent) => void): Disposable
}

/** What waits for its turn, first come, first served. */
export interface SessionQueue {
  entries(): readonly QueueEntry[]
  /** Takes an entry out to edit it; its `send` ends as `dropped`. */
  take(id: string): QueueEntry | undefined
  /** Puts other text in an entry's place. */
  replace(id: string, input: SessionInput): boolean
  /** Goes on after an abort or a failure; so does the next `send`. */
  resume(): void
}
