import type { CallResult, ConversationEntry, Reply } from '../agent/record.ts'
import type { CallView } from '../agent/session.ts'
import { callBlock, type CallBlock } from './blocks/call-block.ts'
import { noticeBlock } from './blocks/printed.ts'
import { replyBlock, userBlock } from './blocks/said.ts'
import type { Block } from './transcript.ts'
import type { Workplace } from './workplace.ts'

export interface HistorySetup {
  readonly place: Workplace
  /** What a person reads for the name that a model called. */
  readonly labelOf: (modelName: string) => string
}

/** A call, and where it is shown. */
export interface ShownCall {
  readonly view: CallView
  readonly block: CallBlock
}

/** Shows what was said before, when a conversation is gone on with. Its calls are returned. */
export function showHistory(entries: readonly ConversationEntry[], setup: HistorySetup): readonly ShownCall[] {
  const { show, paint } = setup.place
  const results = new Map(entries.flatMap((entry) => (entry.kind === 'result' ? [[entry.callId, entry] as const] : [])))
  const shown = entries.slice(-mostEntries)
  if (shown.length < entries.length) {
    const text = `${entries.length - shown.length} earlier entries are not shown; /export has all of them.`
    show(noticeBlock({ level: 'info', text }, paint))
  }
  const parts = shown.flatMap((entry) => partsOf(entry, results, setup))
  show(...parts.map((part) => ('view' in part ? part.block : part)))
  return parts.filter((part) => 'view' in part)
}

const mostEntries = 200

function partsOf(
  entry: ConversationEntry,
  results: ReadonlyMap<string, CallResult>,
  setup: HistorySetup,
): readonly (Block | ShownCall)[] {
  const { paint } = setup.place
  if (entry.kind === 'user') return [userBlock(entry.parts, paint, entry.prompt)]
  if (entry.kind === 'reply') return replyParts(entry, results, setup)
  if (entry.kind !== 'summary') return []
  return [noticeBlock({ level: 'info', text: `Summary of all before: ${entry.text}` }, paint)]
}

function replyParts(
  { parts }: Reply,
  results: ReadonlyMap<string, CallResult>,
  { place: { paint, markdown, now }, labelOf }: HistorySetup,
): readonly (Block | ShownCall)[] {
  return parts.flatMap((part): readonly (Block | ShownCall)[] => {
    if (part.kind === 'thinking' || (part.kind === 'text' && part.text.trim() === '')) return []
    if (part.kind === 'text') return [replyBlock(part.text, markdown)]
    const { end = 'interrupted', parts: content = [], ms = 0 } = results.get(part.callId) ?? {}
    const { callId, name: label, input } = part
    const view: CallView = { callId, label, input, state: { kind: 'ended', end, parts: content, ms } }
    return [{ view, block: callBlock(view, { paint, now, labelOf }) }]
  })
}
