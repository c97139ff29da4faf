import type { SearchField } from './prompt-text.ts'
import { wordsOf } from './words.ts'

/** Where a prompt was found. */
export interface PromptMatch {
  readonly field: SearchField
  /** The text around the first hit, on one line, with each `**hit**` marked. */
  readonly context: string
}

/** The field's text around the first of these terms, with all of them marked; nothing where none of them stands. */
export function matchIn(field: SearchField, text: string, terms: ReadonlySet<string>): readonly PromptMatch[] {
  const hits = wordsOf(text).filter(({ term }) => terms.has(term))
  const [first] = hits
  if (first === undefined) return []
  const from = wordStart(text, first.start - before)
  const to = wordEnd(text, Math.max(first.end, from + span))
  let [context, done] = [from > 0 ? '…' : '', from]
  for (const { start, end } of hits.filter((hit) => hit.end <= to)) {
    // Pairs of neighbours overlap: what is marked already grows.
    if (start < done) context = context.slice(0, -mark.length) + text.slice(done, end) + mark
    else context += `${text.slice(done, start)}${mark}${text.slice(start, end)}${mark}`
    done = Math.max(done, end)
  }
  const rest = `${text.slice(done, to)}${to < text.length ? '…' : ''}`
  return [{ field, context: `${context}${rest}`.replaceAll(/\s+/g, ' ').trim() }]
}

const mark = '**'
const before = 40
const span = 120

function wordStart(text: string, at: number): number {
  if (at <= 0) return 0
  const blank = text.slice(at, at + before).search(/\s/)
  return blank === -1 ? at : at + blank + 1
}

function wordEnd(text: string, at: number): number {
  if (at >= text.length) return text.length
  const blank = text.slice(at).search(/\s/)
  return blank === -1 || blank > before ? at : at + blank
}
