/** A value as it stands in a line: what it means, and how it was written. */
export interface WrittenValue {
  readonly start: number
  readonly end: number
  readonly text: string
  /** `closed` when quotes go around all of it, `open` when the quote is never closed: then it reaches to the end of the line. */
  readonly quote: 'none' | 'closed' | 'open'
}

/**
 * Reads one value: in quotes, or up to the next blank. Quotes count only where a value begins, so that `don't` is a word. A backslash
 * escapes a blank or a quote in a bare word, the quote and itself between double quotes, the quote between single ones; before
 * anything else it stands for itself, as in `C:\temp`.
 */
export function readValue(line: string, start: number): WrittenValue {
  const mark = line.charAt(start)
  if (!isQuote(mark)) return { start, ...readBare(line, start), quote: 'none' }
  const quoted = readQuoted(line, start + 1, mark)
  if (!quoted.isClosed) return { start, end: line.length, text: quoted.text, quote: 'open' }
  const tail = readBare(line, quoted.end)
  return { start, end: tail.end, text: quoted.text + tail.text, quote: tail.end === quoted.end ? 'closed' : 'none' }
}

export function isQuote(character: string): boolean {
  return character === '"' || character === "'"
}

export function isBlank(character: string): boolean {
  const code = character.charCodeAt(0)
  // Nearly every character is one of these, and somebody may paste a megabyte.
  if (code > 0x20 && code < 0x80) return false
  return /^\s$/u.test(character)
}

export function skipBlanks(line: string, from: number): number {
  let at = from
  while (at < line.length && isBlank(line.charAt(at))) at += 1
  return at
}

/** A value in double quotes, which `readValue` takes back. */
export function quoted(value: string): string {
  return `"${value.replaceAll(/[\\"]/g, (character) => `\\${character}`)}"`
}

interface Read {
  readonly end: number
  readonly text: string
}

function readBare(line: string, start: number): Read {
  let at = start
  let text = ''
  while (at < line.length && !isBlank(line.charAt(at))) {
    const next = line.charAt(at + 1)
    const isEscape = line.charAt(at) === '\\' && (isBlank(next) || isQuote(next))
    text += isEscape ? next : line.charAt(at)
    at += isEscape ? 2 : 1
  }
  return { end: at, text }
}

function readQuoted(line: string, start: number, mark: string): Read & { readonly isClosed: boolean } {
  const escapable = mark === '"' ? '"\\' : mark
  let at = start
  let text = ''
  while (at < line.length && line.charAt(at) !== mark) {
    const next = line.charAt(at + 1)
    const isEscape = line.charAt(at) === '\\' && next !== '' && escapable.includes(next)
    text += isEscape ? next : line.charAt(at)
    at += isEscape ? 2 : 1
  }
  return { end: Math.min(at + 1, line.length), text, isClosed: at < line.length }
}
