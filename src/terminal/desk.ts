import type { Session } from '../agent/session.ts'
import type { ConversationInfo } from '../commands/context.ts'
import type { Commands } from '../commands/open-commands.ts'

/** What the screen drives. Whoever opens a session provides it, when it is there: the first frame does not wait for it. */
export interface Desk {
  readonly commands: Commands
  /** The session at hand; another one after `switchTo`. */
  readonly session: () => Session
  /** Goes on with a conversation, or begins a new one. */
  readonly switchTo: (id: string | undefined) => Promise<void>
  readonly conversations: () => Promise<readonly ConversationInfo[]>
}
