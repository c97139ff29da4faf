import type { ConversationStore } from '../../agent/conversations.ts'
import { exportConversation } from '../../agent/export-conversation.ts'
import type { Session } from '../../agent/session.ts'
import type { Conversations } from '../../commands/context.ts'
import { CapstanError } from '../../errors.ts'

export interface KeptSetup {
  readonly store: ConversationStore
  readonly folder: string
  /** The session at hand, whose own conversation is changed through it. */
  readonly session: () => Session
}

/** The conversations of a folder, as the commands of a session use them. */
export function keptConversations({ store, folder, session }: KeptSetup): Conversations {
  const isAtHand = (id: string) => session().status().conversation === id
  return {
    list: (words) => store.list({ folder, ...(words === undefined ? {} : { words }) }),
    rename: (id, title) => (isAtHand(id) ? session().rename(title) : store.rename(id, title)),
    async remove(id) {
      if (isAtHand(id)) {
        const next = 'Begin another one first.'
        throw new CapstanError('usage', 'This is the conversation that you are in.', { next })
      }
      await store.remove(id)
    },
    async export(id, format) {
      const entries = isAtHand(id) ? session().history() : (await store.open(id)).entries()
      return exportConversation(entries, format)
    },
  }
}
