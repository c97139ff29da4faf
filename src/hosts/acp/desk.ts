import type { ConversationInfo } from '../../agent/conversations.ts'
import type { ContentPart } from '../../agent/record.ts'
import type { PrepareLine, Session } from '../../agent/session.ts'
import type { Commands } from '../../commands/open-commands.ts'
import type { RawEntry } from '../../config/types.ts'
import type { ErrorJson } from '../../errors.ts'
import type { EntryRules } from './client-servers.ts'

/** What an agent needs of the program around it: sessions are opened there, and conversations kept. */
export interface Office {
  readonly entryRules: EntryRules
  readonly openDesk: (wish: DeskWish) => Promise<Desk>
  /** The newest first: of the project that a folder belongs to, or all. */
  readonly conversations: (cwd: string | undefined) => Promise<readonly ConversationInfo[]>
  readonly hasConversation: (id: string) => Promise<boolean>
  readonly removeConversation: (id: string) => Promise<void>
}

export interface DeskWish {
  /** Absolute. */
  readonly cwd: string
  /** The editor's own servers. */
  readonly servers: Readonly<Record<string, RawEntry>>
  /** What the editor calls itself, where it says so. */
  readonly editor?: string
  /** The conversation to go on with; a new one when absent. */
  readonly conversation?: string
  readonly prepare: PrepareLine
}

/** What one session of an editor works with. */
export interface Desk extends AsyncDisposable {
  readonly session: Session
  readonly commands: Pick<Commands, 'execute' | 'submit' | 'on'>
  readonly offered: () => readonly OfferedCommand[]
  readonly models: {
    readonly list: () => readonly string[]
    /** Throws where there is no such model. */
    readonly use: (id: string) => Promise<void>
  }
  /** Why there is no model, where something else than nothing was said about one. */
  readonly modelProblem: ErrorJson | undefined
  /** Sentences that a person should read at the beginning. */
  readonly news: readonly string[]
  /** What a link leads to; undefined where nobody knows. */
  readonly readLink: (uri: string, options: { readonly signal: AbortSignal }) => Promise<Linked | undefined>
}

export type Linked = readonly ContentPart[]

/** A slash command as an editor lists it. */
export interface OfferedCommand {
  /** As it is typed, without the slash. */
  readonly name: string
  readonly summary: string
  /** What follows it; empty where nothing does. */
  readonly usage: string
}
