import { randomUUID } from 'node:crypto'
import type { ElicitationSchema } from '@agentclientprotocol/sdk'
import type { Session, SessionAsk } from '../../agent/session.ts'
import { messageOf } from '../../errors.ts'
import type { Answer, Ask } from '../../hub/api.ts'
import { plainLine, plainText } from '../../policy/plain-text.ts'
import type { Editor, FormAnswer } from './editor.ts'
import { permissionQuestion } from './permission-question.ts'
import { answerOfMode, type Mode } from './session-settings.ts'
import type { News } from './voice.ts'

export interface AsksSetup {
  readonly session: Session
  readonly editor: Editor
  readonly mode: () => Mode
  /** Resolves when the editor knows all that the question is about. */
  readonly settled: () => Promise<void>
  readonly tell: (news: News) => void
}

/** Puts the session's questions to the person in their editor, one after the other. */
export function answerAsks(setup: AsksSetup): Disposable {
  const { session } = setup
  const open = new Map<string, AbortController>()
  const waiting = new Map<string, () => void>()
  let turn: Promise<void> = Promise.resolve()
  return session.on((event) => {
    if (event.kind === 'call' && event.call.state.kind !== 'waiting') waiting.get(event.call.callId)?.()
    if (event.kind === 'turn_ended') waiting.forEach((goOn) => goOn())
    if (event.kind === 'ask_closed') {
      open.get(event.id)?.abort()
      open.delete(event.id)
    }
    if (event.kind === 'ask') turn = turn.then(inTurn(event.ask))
  })

  function inTurn(ask: SessionAsk): () => Promise<void> {
    const closing = new AbortController()
    open.set(ask.id, closing)
    return async () => {
      if (closing.signal.aborted) return
      // A yes for more than one call settles other questions too, as soon as it has been kept: by then the call goes on.
      const { promise: goneOn, resolve } = Promise.withResolvers<void>()
      if (ask.callId !== undefined) waiting.set(ask.callId, resolve)
      await answerAsk(ask, closing.signal, setup)
      if (ask.kind === 'permission') await goneOn
      if (ask.callId !== undefined) waiting.delete(ask.callId)
    }
  }
}

/** Never rejects: what cannot be asked is refused. */
async function answerAsk(ask: SessionAsk, signal: AbortSignal, setup: AsksSetup): Promise<void> {
  const { session, editor, tell } = setup
  if (ask.kind === 'permission') return await askPermission(ask, signal, setup)
  await setup.settled()
  const answer = await answerServer(ask.ask, { editor, tell, signal, callId: ask.callId })
  session.answer(ask.id, { kind: 'server', answer })
}

async function askPermission(
  ask: Extract<SessionAsk, { kind: 'permission' }>,
  signal: AbortSignal,
  { session, editor, mode, settled, tell }: AsksSetup,
): Promise<void> {
  const byMode = answerOfMode(mode())
  if (byMode !== undefined) return session.answer(ask.id, { kind: 'permission', ...byMode })
  try {
    await settled()
    const outcome = await editor.askPermission(permissionQuestion(ask), signal)
    // Another answer, or the end of the turn, has settled it.
    if (signal.aborted) return
    if (outcome.outcome === 'cancelled') return session.abort()
    const choice = ask.choices.find((offered) => offered === outcome.optionId) ?? 'no'
    session.answer(ask.id, { kind: 'permission', choice })
  } catch (error) {
    if (signal.aborted) return
    tell({ level: 'error', text: `The editor could not ask whether ${ask.label} may run: ${messageOf(error)}` })
    session.answer(ask.id, { kind: 'permission', choice: 'no', reason: 'They could not be asked.' })
  }
}

interface ServerQuestion extends Pick<AsksSetup, 'editor' | 'tell'> {
  readonly signal: AbortSignal
  readonly callId?: string | undefined
}

/** What a server asks, where the editor can show it; else it is declined, and the person hears of it. */
export async function answerServer(ask: Ask, question: ServerQuestion): Promise<Answer> {
  const { editor, tell, signal, callId } = question
  if (ask.kind === 'sampling') return { action: 'decline', reason: 'The session answers no sampling requests.' }
  const message = `${plainLine(ask.server)} asks: ${plainText(ask.message)}`
  try {
    if (ask.kind === 'form' && editor.can.showForms) {
      // Forms of servers and of editors follow the same schema, the one of MCP.
      const schema = ask.schema as ElicitationSchema
      return answerOf(await editor.showForm({ message, schema, callId }, signal))
    }
    if (ask.kind === 'url' && editor.can.openPages) {
      const { action } = await editor.openPage({ message, url: ask.url, id: randomUUID(), callId }, signal)
      return { action }
    }
  } catch (error) {
    if (!signal.aborted) tell({ level: 'error', text: `The editor could not show a question: ${messageOf(error)}` })
    return { action: 'cancel' }
  }
  const page = ask.kind === 'url' ? ` (${plainLine(ask.url)})` : ''
  const next = 'Call the tool with capstan call, or in a session on the terminal: capstan chat'
  tell({ level: 'warning', text: `${message}${page} This editor cannot show that, so it was declined.`, next })
  return { action: 'decline', reason: 'The editor cannot show questions of servers.' }
}

function answerOf(answer: FormAnswer): Answer {
  return answer.action === 'accept' ? { action: 'accept', content: { ...answer.content } } : { action: answer.action }
}
