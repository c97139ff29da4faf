import { RequestError } from '@agentclientprotocol/sdk'
import type { Office } from './desk.ts'
import type { EditorConnection } from './editor.ts'
import { openEditorSession, type EditorSession, type SessionWish } from './editor-session.ts'

/** The sessions of one connection. */
export interface Sessions extends AsyncDisposable {
  readonly open: (wish: SessionWish, connection: EditorConnection) => Promise<EditorSession>
  /** Throws where there is none. */
  readonly get: (id: string) => EditorSession
  readonly find: (id: string) => EditorSession | undefined
  /** Does nothing where there is none. */
  readonly close: (id: string) => Promise<void>
}

export function makeSessions(office: Office): Sessions {
  const known = new Map<string, EditorSession>()
  const opening = new Set<Promise<EditorSession>>()

  return {
    async open(wish, connection) {
      // One writer for a conversation: who loads it again starts over.
      if (wish.conversation !== undefined) await close(wish.conversation)
      const opened = openEditorSession(office, wish, connection)
      opening.add(opened)
      try {
        const session = await opened
        await close(session.id)
        known.set(session.id, session)
        return session
      } finally {
        opening.delete(opened)
      }
    },
    get: (id) => known.get(id) ?? missing(id),
    find: (id) => known.get(id),
    close,
    async [Symbol.asyncDispose]() {
      const late = await Promise.allSettled(opening)
      const opened = late.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
      const all = new Set([...known.values(), ...opened])
      known.clear()
      await Promise.all([...all].map((session) => session[Symbol.asyncDispose]()))
    },
  }

  async function close(id: string): Promise<void> {
    const session = known.get(id)
    known.delete(id)
    await session?.[Symbol.asyncDispose]()
  }
}

function missing(id: string): never {
  throw RequestError.sessionNotFound(id)
}
