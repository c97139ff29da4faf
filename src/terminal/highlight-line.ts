import { sliceByColumn, visibleWidth } from '@earendil-works/pi-tui'
import type { ParsedLine, Token } from '../commands/grammar.ts'
import type { Palette } from './paint.ts'

/** The first line of the editor, with what it means painted: names that are known, keys, mentions. The line holds the cursor already. */
export function highlightLine(
  line: string,
  { text, parsed, paint }: { readonly text: string; readonly parsed: ParsedLine; readonly paint: Palette },
): string {
  const width = visibleWidth(line)
  const [first = ''] = text.split('\n')
  let painted = ''
  let column = 0
  for (const token of parsed.tokens) {
    const color = colorOf(token, parsed.isKnown, paint)
    if (color === undefined) continue
    const start = visibleWidth(first.slice(0, token.start))
    const end = visibleWidth(first.slice(0, token.end))
    // What is wrapped stands on another line, and is left as it is.
    if (token.end > first.length || end > width) break
    painted += sliceByColumn(line, column, start - column) + color(sliceByColumn(line, start, end - start))
    column = end
  }
  return painted + sliceByColumn(line, column, width - column)
}

function colorOf({ kind }: Token, isKnown: boolean, paint: Palette): ((text: string) => string) | undefined {
  if (kind === 'name') return isKnown ? paint.name : paint.bad
  return kind === 'key' || kind === 'flag' || kind === 'mention' ? paint.name : undefined
}
