import type { CallResult, ConversationEntry, Message, Reply, ReplyPart } from './record.ts'

/** What a model is told of a call whose end nobody saw. */
export const interruptedText = 'Interrupted: whether this call took effect is unknown. Look before you repeat it.'

/** What a model sees of a conversation: the last summary, and what came after it. */
export function visibleMessages(entries: readonly ConversationEntry[]): readonly Message[] {
  const at = entries.findLastIndex((entry) => entry.kind === 'summary')
  const summary = entries[at]
  const rest = entries.slice(at + 1).filter(isMessage)
  if (summary?.kind !== 'summary') return rest
  const text = `What was said before, in short:\n\n${summary.text}`
  return [{ kind: 'user', atMs: summary.atMs, parts: [{ kind: 'text', text }] }, ...rest]
}

/**
 * Makes of any history one that every provider takes: each call has one result, right behind its reply and in the order of the
 * calls; a call without one was interrupted; a result without a call, and a reply that says nothing, are left out.
 */
export function repairHistory(messages: readonly Message[]): readonly Message[] {
  const whole: Message[] = []
  for (const [index, message] of messages.entries()) {
    if (message.kind === 'user') whole.push(message)
    if (message.kind !== 'reply' || !saysAnything(message)) continue
    whole.push(message, ...resultsOf(message, messages, index + 1))
  }
  return whole
}

/** The calls of the last reply that have no result yet: what an abort, a crash or an error left open. */
export function openCalls(messages: readonly Message[]): readonly CallPart[] {
  const at = messages.findLastIndex((message) => message.kind === 'reply')
  const reply = messages[at]
  if (reply?.kind !== 'reply') return []
  const answered = new Set(messages.slice(at + 1).flatMap((entry) => (entry.kind === 'result' ? [entry.callId] : [])))
  return callsOf(reply).filter((call) => !answered.has(call.callId))
}

export function interruptedResult(call: CallPart, atMs: number): CallResult {
  const { callId, name } = call
  return {
    kind: 'result',
    atMs,
    callId,
    name,
    end: 'interrupted',
    parts: [{ kind: 'text', text: interruptedText }],
    ms: 0,
  }
}

export type CallPart = Extract<ReplyPart, { kind: 'call' }>

export function callsOf(reply: Reply): readonly CallPart[] {
  return reply.parts.filter((part) => part.kind === 'call')
}

function isMessage(entry: ConversationEntry): entry is Message {
  return entry.kind === 'user' || entry.kind === 'reply' || entry.kind === 'result'
}

function saysAnything({ parts }: Reply): boolean {
  return parts.some((part) => part.kind === 'call' || (part.kind === 'text' && part.text.trim() !== ''))
}

/** A result belongs to the last reply before it that has its call: models reuse ids. */
function resultsOf(reply: Reply, messages: readonly Message[], from: number): readonly CallResult[] {
  const calls = callsOf(reply)
  if (calls.length === 0) return []
  const found = new Map<string, CallResult>()
  for (let at = from; at < messages.length; at += 1) {
    const message = messages[at]
    if (message === undefined) break
    if (message.kind === 'reply' && callsOf(message).some((call) => calls.some(({ callId }) => callId === call.callId)))
      break
    if (message.kind === 'result' && !found.has(message.callId)) found.set(message.callId, message)
    if (calls.every(({ callId }) => found.has(callId))) break
  }
  return calls.map((call) => found.get(call.callId) ?? interruptedResult(call, reply.atMs))
}
