import type { Command } from './command.ts'
import { rank, type Range } from './fuzzy.ts'
import type { Token } from './grammar.ts'
import { writeName } from './print-line.ts'
import { cut, type Suggestion, type Suggestions } from './suggestions.ts'

/** Commands whose names fit what is typed of one. */
export function suggestNames(commands: readonly Command[], line: string, { token, cursor }: NamePlace): Suggestions {
  const typed = line.slice(token.start + 1, cursor).replaceAll(/\\(\s)/gu, '$1')
  const items = rank(commands, typed, ({ name }) => name).map(({ item, ranges }) => nameSuggestion(item, ranges))
  return { from: token.start, to: token.end, ...cut(items) }
}

interface NamePlace {
  readonly token: Token
  readonly cursor: number
}

function nameSuggestion({ key, name, title, summary, declare }: Command, ranges: readonly Range[]): Suggestion {
  const takesMore = declare('').slots.length > 0
  return {
    key,
    kind: 'command',
    label: `/${name}`,
    insert: `${writeName(name)}${takesMore ? ' ' : ''}`,
    detail: title === undefined || summary.includes(title) ? summary : `${title}: ${summary}`,
    matches: ranges.map(({ start, end }) => ({ start: start + 1, end: end + 1 })),
  }
}
