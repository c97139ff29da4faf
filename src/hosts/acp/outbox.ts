import type { SessionUpdate } from '@agentclientprotocol/sdk'

/** News of a session on their way to the editor, in order. */
export interface Outbox {
  readonly put: (update: SessionUpdate) => void
  /** Resolves when all that was put has left. */
  readonly settled: () => Promise<void>
}

/** An editor that reads slowly gets fewer and larger pieces instead of a queue that grows. */
export function openOutbox(send: (update: SessionUpdate) => Promise<void>): Outbox {
  const waiting: SessionUpdate[] = []
  let sending: Promise<void> | undefined

  return {
    put(update) {
      const last = waiting.at(-1)
      const both = last === undefined ? undefined : joined(last, update)
      if (both === undefined) waiting.push(update)
      else waiting.splice(-1, 1, both)
      sending ??= sendAll()
    },
    settled: async () => await sending,
  }

  async function sendAll(): Promise<void> {
    try {
      // What is put in the same moment leaves as one.
      await Promise.resolve()
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await send(next)
    } catch {
      // The editor has gone; the end of the connection ends the session.
      waiting.length = 0
    } finally {
      sending = undefined
    }
  }
}

/** Two pieces of news as one, where that says the same. */
function joined(first: SessionUpdate, second: SessionUpdate): SessionUpdate | undefined {
  if (first.sessionUpdate === 'tool_call_update' && second.sessionUpdate === 'tool_call_update') {
    return first.toolCallId === second.toolCallId ? { ...first, ...second } : undefined
  }
  if (!isChunk(first) || !isChunk(second) || first.sessionUpdate !== second.sessionUpdate) return undefined
  const [before, after] = [first.content, second.content]
  if (first.messageId !== second.messageId || before.type !== 'text' || after.type !== 'text') return undefined
  return { ...first, content: { type: 'text', text: before.text + after.text } }
}

type Chunk = Extract<SessionUpdate, { sessionUpdate: 'agent_message_chunk' | 'agent_thought_chunk' }>

function isChunk(update: SessionUpdate): update is Chunk {
  return update.sessionUpdate === 'agent_message_chunk' || update.sessionUpdate === 'agent_thought_chunk'
}
