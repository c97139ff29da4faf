import { CapstanError } from '../errors.ts'

/**
 * Splits a command line into program and arguments, without a shell: whitespace separates, `'…'` is literal, `"…"` too
 * except for `\"` and `\\`. Outside of quotes a backslash protects only whitespace, quotes and itself, so that Windows
 * paths need no care.
 */
export function splitCommand(text: string): readonly string[] {
  const piece = /\s+|'(?<single>[^']*)'|"(?<double>(?:[^"\\]|\\[^])*)"|\\(?<escaped>[\s'"\\])|(?<plain>[^\s'"])/y
  const words: string[] = []
  let word: string | undefined
  for (let at = 0; at < text.length; at = piece.lastIndex) {
    piece.lastIndex = at
    const found = piece.exec(text)
    if (found === null) throw unclosedQuote(text)
    const { single, double, escaped, plain } = found.groups ?? {}
    const part = single ?? double?.replace(/\\(["\\])/g, '$1') ?? escaped ?? plain
    if (part === undefined && word !== undefined) words.push(word)
    word = part === undefined ? undefined : (word ?? '') + part
  }
  return word === undefined ? words : [...words, word]
}

function unclosedQuote(text: string): CapstanError {
  return new CapstanError('usage', `The command ${JSON.stringify(text)} has a quote that is never closed.`, {
    next: 'Close the quote, or put a backslash before it.',
  })
}
