import type { CallResult, ConversationEntry, Reply } from '../agent/record.ts'
import { callBlock } from './blocks/call-block.ts'
import { noticeBlock } from './blocks/printed.ts'
import { replyBlock, userBlock } from './blocks/said.ts'
import type { Block } from './transcript.ts'
import type { Workplace } from './workplace.ts'

export interface HistorySetup {
  readonly place: Workplace
  /** What a person reads for the name that a model called. */
  readonly labelOf: (modelName: string) => string
}

/** What was said before, when a conversation is gone on with. */
export function showHistory(entries: readonly ConversationEntry[], setup: HistorySetup): void {
  const { show, paint } = setup.place
  const results = new Map(entries.flatMap((entry) => (entry.kind === 'result' ? [[entry.callId, entry] as const] : [])))
  const shown = entries.slice(-mostEntries)
  if (shown.length < entries.length) {
    const text = `${entries.length - shown.length} earlier entries are not shown; /export has all of them.`
    show(noticeBlock({ level: 'info', text }, paint))
  }
  show(...shown.flatMap((entry) => blocksOf(entry, results, setup)))
}

const mostEntries = 200

function blocksOf(
  entry: ConversationEntry,
  results: ReadonlyMap<string, CallResult>,
  setup: HistorySetup,
): readonly Block[] {
  const { paint } = setup.place
  if (entry.kind === 'user') return [userBlock(entry.parts, paint, entry.prompt)]
  if (entry.kind === 'reply') return replyBlocks(entry, results, setup)
  if (entry.kind !== 'summary') return []
  return [noticeBlock({ level: 'info', text: `Summary of all before: ${entry.text}` }, paint)]
}

function replyBlocks(
  { parts }: Reply,
  results: ReadonlyMap<string, CallResult>,
  { place: { paint, markdown, now }, labelOf }: HistorySetup,
): readonly Block[] {
  return parts.flatMap((part): readonly Block[] => {
    if (part.kind === 'thinking' || (part.kind === 'text' && part.text.trim() === '')) return []
    if (part.kind === 'text') return [replyBlock(part.text, markdown)]
    const { end = 'interrupted', parts: content = [], ms = 0 } = results.get(part.callId) ?? {}
    const state = { kind: 'ended', end, parts: content, ms } as const
    const { callId, name: label, input } = part
    return [callBlock({ callId, label, input, state }, { paint, now, labelOf })]
  })
}
