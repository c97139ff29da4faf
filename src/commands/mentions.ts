import { isQuote, quoted, readValue } from './written-value.ts'

/** `@name` in a text: a resource or a file. */
export interface Mention {
  readonly start: number
  readonly end: number
  /** What follows the sign, without quotes. */
  readonly value: string
}

/** The mentions of a text. The sign counts at the start of a word, so that an address with an @ in it is none. */
export function findMentions(text: string): readonly Mention[] {
  const mentions: Mention[] = []
  for (const { index } of text.matchAll(/(?<![^\s([{<,;])@(?=[^\s@])/gu)) {
    if (index < (mentions.at(-1)?.end ?? 0)) continue
    const { end, text: value, quote } = readValue(text, index + 1)
    if (quote !== 'open') mentions.push({ start: index, end, value })
  }
  return mentions
}

/** A mention as it is written. */
export function writeMention(name: string): string {
  return /[\s\\]/u.test(name) || isQuote(name.charAt(0)) ? `@${quoted(name)}` : `@${name}`
}
