import { nearest } from '../hub/catalogue/nearest.ts'
import type { Declared, Problem, Slot, Token } from './grammar.ts'
import type { Piece } from './read-pieces.ts'
import type { WrittenValue } from './written-value.ts'

interface Assigned {
  readonly tokens: readonly Token[]
  readonly problems: readonly Problem[]
}

/**
 * Gives each piece to an argument: `key=value` to its own, words to the others in declared order. The last of them takes what is
 * left of the words, as it stands. Words that come when nothing is left continue the value before them, if it was written without quotes.
 */
export function assignPieces(line: string, pieces: readonly Piece[], declared: Declared): Assigned {
  const tokens: Token[] = []
  const problems: Problem[] = []
  const named = new Set(pieces.flatMap((piece) => (piece.kind === 'named' ? [piece.key] : [])))
  const open = declared.slots.filter(({ name }) => !named.has(name))
  for (let at = 0; at < pieces.length; at += 1) {
    const piece = pieces[at]
    if (piece === undefined) break
    if (piece.kind !== 'word') {
      tokens.push(...tokensOf(piece))
      problems.push(...problemsOf(piece, pieces.slice(0, at), declared.slots))
      continue
    }
    const run = wordsFrom(pieces, at)
    const spread = spreadWords(line, run, open)
    const before = pieces[at - 1]
    const { rest } = spread
    if (rest === undefined) {
      problems.push(...splitValue(before, spread.tokens))
    } else if (before?.kind === 'named' && canGoOn(before) && spread.tokens.length === 0) {
      tokens[tokens.length - 1] = continued(line, tokens.at(-1), rest.end)
    } else {
      spread.tokens.push(rest)
      problems.push(nothingLeft(rest, declared))
    }
    tokens.push(...spread.tokens)
    problems.push(...spread.problems, ...misspelt(run, declared))
    at += run.length - 1
  }
  return { tokens, problems }
}

type Word = Extract<Piece, { kind: 'word' }>
type Named = Extract<Piece, { kind: 'named' }>

function wordsFrom(pieces: readonly Piece[], start: number): readonly Word[] {
  const words: Word[] = []
  for (const piece of pieces.slice(start)) {
    if (piece.kind !== 'word') break
    words.push(piece)
  }
  return words
}

interface Spread {
  readonly tokens: Token[]
  readonly problems: readonly Problem[]
  /** What found no argument. */
  readonly rest: Token | undefined
}

/** Takes the arguments that it fills out of `open`. */
function spreadWords(line: string, words: readonly Word[], open: Slot[]): Spread {
  const tokens: Token[] = []
  const problems: Problem[] = []
  const end = words.at(-1)?.value.end ?? 0
  let at = 0
  for (let word = words[at]; word !== undefined && open.length > 0; word = words[at]) {
    const slot = open.shift()
    if (slot === undefined) break
    const isRest = open.length === 0 && slot.takesRest !== false
    tokens.push(isRest ? restToken(line, slot, words.slice(at)) : valueToken(slot.name, word.value))
    if (!isRest) problems.push(...openQuote(word.value))
    at = isRest ? words.length : at + 1
  }
  const left = words[at]
  const rest: Token | undefined = left && {
    kind: 'extra',
    start: left.start,
    end,
    value: line.slice(left.start, end),
  }
  return { tokens, problems, rest }
}

function restToken(line: string, { name }: Slot, [first, ...more]: readonly Word[]): Token {
  const value = first?.value ?? { start: 0, end: 0, text: '', quote: 'none' as const }
  if (more.length === 0 && value.quote === 'closed') return valueToken(name, value)
  const end = more.at(-1)?.value.end ?? value.end
  return {
    kind: 'value',
    start: value.start,
    end,
    value: line.slice(value.start, end),
    argument: name,
    isVerbatim: true,
  }
}

function valueToken(argument: string, { start, end, text }: WrittenValue): Token {
  return { kind: 'value', start, end, value: text, argument }
}

function tokensOf(piece: Exclude<Piece, Word>): readonly Token[] {
  const { start, value } = piece
  const isThere = value.end > value.start
  if (piece.kind === 'args') {
    const flag: Token = { kind: 'flag', start, end: piece.flagEnd, value: 'args' }
    const json: Token = { kind: 'json', start: value.start, end: value.end, value: value.text }
    return isThere ? [flag, json] : [flag]
  }
  const key: Token = { kind: 'key', start, end: value.start, value: piece.key, argument: piece.key }
  return isThere ? [key, valueToken(piece.key, value)] : [key]
}

function problemsOf(piece: Exclude<Piece, Word>, before: readonly Piece[], slots: readonly Slot[]): readonly Problem[] {
  const nameOf = (other: Piece) => (other.kind === 'named' ? other.key : other.kind === 'args' ? '--args' : undefined)
  const isRepeatable = slots.find(({ name }) => name === nameOf(piece))?.isRepeatable ?? false
  const isAgain = before.some((other) => other.kind === piece.kind && nameOf(other) === nameOf(piece))
  const twice: Problem = {
    severity: 'error',
    start: piece.start,
    end: piece.value.end,
    message: `"${nameOf(piece)}" is given twice.`,
  }
  return [...openQuote(piece.value), ...(isAgain && !isRepeatable ? [twice] : [])]
}

function canGoOn({ value }: Named): boolean {
  return value.quote === 'none' && value.end > value.start
}

function continued(line: string, token: Token | undefined, end: number): Token {
  const { start = end, argument = '' } = token ?? {}
  return { kind: 'value', start, end, value: line.slice(start, end), argument, isVerbatim: true }
}

function openQuote({ quote, start, end }: WrittenValue): readonly Problem[] {
  if (quote !== 'open') return []
  const message = 'This quote is never closed. Close it, or write a backslash before it if it belongs to the text.'
  return [{ severity: 'error', start, end, message }]
}

function nothingLeft({ start, end, value }: Token, { slots }: Declared): Problem {
  const message =
    slots.length === 0
      ? 'It takes no arguments.'
      : `No argument is left for "${value}". Put quotes around a value that has blanks in it.`
  return { severity: 'error', start, end, message }
}

/** `title=fix the bug` where other arguments are open: `the bug` goes to the next one, which may not be meant. */
function splitValue(before: Piece | undefined, [first]: readonly Token[]): readonly Problem[] {
  if (before?.kind !== 'named' || !canGoOn(before) || first === undefined) return []
  const message = `"${first.value}" is taken for ${first.argument ?? ''}. If it belongs to ${before.key}, put quotes around the whole value.`
  return [{ severity: 'warning', start: first.start, end: first.end, message }]
}

/** An undeclared `key=` is text, yet one that is nearly a declared name is likely a slip. */
function misspelt(words: readonly Word[], { slots }: Declared): readonly Problem[] {
  if (slots.length < 2) return []
  const names = slots.map(({ name }) => name)
  return words.flatMap(({ start, value }): readonly Problem[] => {
    const key = value.quote === 'none' ? /^(?:--)?([\w.-]+)=/.exec(value.text)?.[1] : undefined
    const [near] = key === undefined ? [] : nearest(key, names, 1)
    if (near === undefined) return []
    const message = `"${key}=" is no argument and was read as text. Did you mean ${near}=?`
    return [{ severity: 'warning', start, end: value.end, message }]
  })
}
