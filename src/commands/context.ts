import type { Session } from '../agent/session.ts'
import type { Hub } from '../hub/api.ts'

/** What commands need of whoever runs the session. */
export interface CommandContext {
  readonly hub: Hub
  /** The session at hand; another one after `/clear` and `/resume`. */
  readonly session: () => SessionView
  readonly conversations: Conversations
  readonly models: Models
  /** The folder whose files can be mentioned, and where exports go. */
  readonly folder: string
}

export type SessionView = Pick<Session, 'queue' | 'history' | 'status' | 'permissions' | 'revoke'>

/** The conversations that are kept. */
export interface Conversations {
  /** The newest first; with words only those that hold them. */
  readonly list: (words?: string) => Promise<readonly ConversationInfo[]>
  readonly rename: (id: string, title: string) => Promise<void>
  readonly remove: (id: string) => Promise<void>
  /** The whole conversation as a document. */
  readonly export: (id: string, format: 'markdown' | 'json') => Promise<string>
}

export interface ConversationInfo {
  readonly id: string
  readonly title?: string
  readonly changedAtMs: number
  readonly messages: number
}

export interface Models {
  /** Those that are set up; others may be used as well. */
  readonly list: () => Promise<readonly ModelInfo[]>
  /** Makes the session use this model, or says why it cannot. */
  readonly use: (id: string) => Promise<void>
}

export interface ModelInfo {
  readonly id: string
  readonly detail?: string
}
