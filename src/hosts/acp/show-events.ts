import { randomUUID } from 'node:crypto'
import type { SessionUpdate } from '@agentclientprotocol/sdk'
import type { ReplyEnd } from '../../agent/record.ts'
import type { Session, SessionEvent } from '../../agent/session.ts'
import { textBlock } from './content-blocks.ts'
import { showCalls } from './show-calls.ts'
import type { News } from './voice.ts'

export interface EventsShown extends Disposable {
  /** How the last reply of the model ended. */
  readonly lastEnd: () => ReplyEnd | undefined
}

export interface EventsSetup {
  readonly session: Session
  readonly put: (update: SessionUpdate) => void
  readonly tell: (news: News) => void
}

/** Everything that a session tells, told to the editor. Questions are another's. */
export function showEvents({ session, put, tell }: EventsSetup): EventsShown {
  const calls = showCalls(put)
  let messageId: string = randomUUID()
  let end: ReplyEnd | undefined
  let title = session.status().title
  const listening = session.on(hear)

  return { lastEnd: () => end, [Symbol.dispose]: () => listening[Symbol.dispose]() }

  function hear(event: SessionEvent): void {
    switch (event.kind) {
      case 'turn_started':
        end = undefined
        return
      case 'text':
        return put({ sessionUpdate: 'agent_message_chunk', messageId, content: textBlock(event.text) })
      case 'thinking':
        return put({ sessionUpdate: 'agent_thought_chunk', messageId, content: textBlock(event.text) })
      case 'reply_restarts':
        // Nothing that was shown can be taken back.
        put({ sessionUpdate: 'agent_message_chunk', messageId, content: textBlock(brokenOff) })
        messageId = randomUUID()
        return
      case 'message':
        if (event.message.kind === 'reply') end = event.message.end
        messageId = randomUUID()
        return tellTitle()
      case 'call':
        return calls.show(event.call)
      case 'usage': {
        const { contextTokens, usedTokens } = session.status()
        return put({ sessionUpdate: 'usage_update', used: usedTokens, size: contextTokens })
      }
      case 'notice':
        // Without a model the end of the turn says so.
        return event.notice.code === 'no_model' ? undefined : tell(event.notice)
      case 'changed':
        return tellTitle()
      case 'turn_ended':
        return calls.closeOpen()
      case 'ask':
      case 'ask_closed':
      case 'queue':
        return
      default:
        return event satisfies never
    }
  }

  function tellTitle(): void {
    const now = session.status().title
    if (now === title) return
    title = now
    put({ sessionUpdate: 'session_info_update', title: now ?? null, updatedAt: new Date().toISOString() })
  }
}

const brokenOff = '\n\n_(The reply broke off here, and begins anew.)_\n\n'
