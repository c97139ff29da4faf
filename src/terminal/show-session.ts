import type { Reply, UserMessage } from '../agent/record.ts'
import type { CallView, Notice, Session, SessionAsk, SessionEvent, TurnOutcome } from '../agent/session.ts'
import { unreachable } from '../errors.ts'
import { answerAsk } from './answer-ask.ts'
import { askPermission } from './ask-permission.ts'
import { callBlock } from './blocks/call-block.ts'
import { noticeBlock } from './blocks/printed.ts'
import { makeReplyStream, type ReplyStream } from './blocks/reply-stream.ts'
import { replyBlock, userBlock } from './blocks/said.ts'
import { thinkingBlock, type ThinkingBlock } from './blocks/thinking-block.ts'
import type { ShownCall } from './show-history.ts'
import type { Workplace } from './workplace.ts'

/** A session on the screen, from its first event on. Disposing it leaves what was shown. */
export interface ShownSession extends Disposable {
  /** What waits for its turn. */
  readonly queue: () => QueueView
  /** Since when a turn has been under way. */
  readonly busySinceMs: () => number | undefined
  /** Whether that turn has yet to learn what the servers offer. */
  readonly isPreparing: () => boolean
  /** Folds the last result, or shows all of it; below once more, where it has scrolled away. */
  readonly toggleResult: () => void
}

export type QueueView = Pick<Extract<SessionEvent, { kind: 'queue' }>, 'entries' | 'isHeld'>

export interface ShowSessionSetup {
  readonly session: Session
  readonly place: Workplace
  readonly openPage: (url: string) => Promise<boolean>
  /** The calls of what was said before. */
  readonly earlier: readonly ShownCall[]
  readonly labelOf: (modelName: string) => string
}

export function showSession({ session, place, openPage, earlier, labelOf }: ShowSessionSetup): ShownSession {
  const { transcript, markdown, paint, now, show } = place
  const calls = new Map<string, ShownCall>()
  const asks = new Map<string, Disposable>()
  /** The pieces of the reply that is being written: what comes after a call or a thought is another one. */
  let streams: ReplyStream[] = []
  let isPieceOver = true
  let thinking: ThinkingBlock | undefined
  let thoughts: readonly ThinkingBlock[] = []
  let busySinceMs: number | undefined
  let isPreparing = false
  let queue: QueueView = { entries: session.queue.entries(), isHeld: false }
  let explained: readonly Notice['code'][] = []
  const hearing = session.on((event) => {
    hear(event)
    place.tui.requestRender()
  })

  return {
    queue: () => queue,
    busySinceMs: () => busySinceMs,
    isPreparing: () => isPreparing,
    toggleResult,
    [Symbol.dispose]() {
      hearing[Symbol.dispose]()
      for (const ask of asks.values()) ask[Symbol.dispose]()
      asks.clear()
    },
  }

  function hear(event: SessionEvent): void {
    switch (event.kind) {
      case 'turn_started':
        busySinceMs = now()
        isPreparing = true
        explained = []
        return
      case 'message':
        return event.message.kind === 'user' ? showUser(event.message) : showReply(event.message)
      case 'text':
        thinking = undefined
        return write(event.text)
      case 'thinking':
        return think(event.text)
      case 'reply_restarts':
        return restart()
      case 'call':
        return showCall(event.call)
      case 'ask':
        return ask(event.ask)
      case 'ask_closed':
        asks.get(event.id)?.[Symbol.dispose]()
        return void asks.delete(event.id)
      case 'notice':
        explained = [...explained, event.notice.code]
        return show(noticeBlock(event.notice, paint))
      case 'turn_ended':
        busySinceMs = undefined
        isPreparing = false
        return endTurn(event.outcome)
      case 'queue':
        queue = event
        return
      case 'changed':
        isPreparing = false
        return
      case 'usage':
        return
      default:
        return unreachable(event)
    }
  }

  function showUser({ parts, prompt }: UserMessage): void {
    show(userBlock(parts, paint, prompt))
  }

  function write(text: string): void {
    if (isPieceOver) streams.push(makeReplyStream(transcript, markdown))
    isPieceOver = false
    streams.at(-1)?.push(text)
  }

  function endReply(): void {
    streams = []
    thoughts = []
    isPieceOver = true
    thinking = undefined
  }

  /** What was streamed stands there already. */
  function showReply({ parts }: Reply): void {
    if (streams.length === 0) {
      for (const part of parts)
        if (part.kind === 'text' && part.text.trim() !== '') show(replyBlock(part.text, markdown))
    }
    endReply()
  }

  function think(text: string): void {
    if (thinking === undefined) {
      thinking = thinkingBlock(paint)
      thoughts = [...thoughts, thinking]
      isPieceOver = true
      show(thinking)
    }
    thinking.push(text)
  }

  function restart(): void {
    const isGone = streams.map((stream) => stream.takeBack()).includes(true)
    transcript.remove(...thoughts)
    for (const [id, { view, block }] of calls) {
      if (view.state.kind !== 'pending') continue
      transcript.remove(block)
      calls.delete(id)
    }
    endReply()
    if (isGone) show(noticeBlock({ level: 'info', text: 'The reply begins anew.' }, paint))
  }

  function showCall(view: CallView): void {
    const known = calls.get(view.callId)
    known?.block.update(view)
    if (known !== undefined && (view.state.kind !== 'ended' || transcript.isEndInWindow(known.block))) {
      calls.set(view.callId, { ...known, view })
      return
    }
    // One that has scrolled away is shown once more, or nobody would see how it ended.
    if (known !== undefined) transcript.remove(known.block)
    isPieceOver = true
    const block = callBlock(view, { paint, now })
    calls.set(view.callId, { view, block })
    show(block)
  }

  function ask(asked: SessionAsk): void {
    asks.set(
      asked.id,
      asked.kind === 'permission'
        ? askPermission(asked, {
            place,
            onAnswer: (answer) => session.answer(asked.id, answer),
            onStop: () => session.abort(),
          })
        : answerAsk(asked.ask, {
            place,
            openPage,
            onAnswer: (answer) => session.answer(asked.id, { kind: 'server', answer }),
          }),
    )
  }

  function endTurn(outcome: TurnOutcome): void {
    endReply()
    if (outcome.kind === 'stopped') show(noticeBlock({ level: 'info', text: 'Stopped.' }, paint))
    if (outcome.kind !== 'failed' || explained.some((code) => saysWhy.has(code))) return
    const { message, next } = outcome.error
    show(noticeBlock({ level: 'error', text: message, next }, paint))
  }

  function toggleResult(): void {
    const last = [...earlier, ...calls.values()].findLast(({ view }) => view.state.kind === 'ended')
    if (last === undefined) return
    if (transcript.isInWindow(last.block)) last.block.unfold(last.block.isFolded())
    else show(callBlock(last.view, { paint, now, labelOf, isWhole: true }))
    place.tui.requestRender()
  }
}

/** Notices that a failed turn has no more to add to. */
const saysWhy: ReadonlySet<Notice['code']> = new Set(['no_model', 'context_full', 'reply_cut', 'steps_used_up'])
