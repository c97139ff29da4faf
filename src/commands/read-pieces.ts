import type { Declared, Slot } from './grammar.ts'
import { isBlank, isQuote, readValue, skipBlanks, type WrittenValue } from './written-value.ts'

/** A word of a command's rest, seen for what it is, but not yet given to an argument. */
export type Piece =
  | { readonly kind: 'word'; readonly start: number; readonly value: WrittenValue }
  | { readonly kind: 'named'; readonly start: number; readonly key: string; readonly value: WrittenValue }
  /** `--args` with its object. */
  | { readonly kind: 'args'; readonly start: number; readonly flagEnd: number; readonly value: WrittenValue }

/** Cuts what follows a command's name. The only argument of a command takes all of it as it stands. */
export function readPieces(line: string, from: number, declared: Declared): readonly Piece[] {
  const pieces: Piece[] = []
  const [only] = declared.slots
  let at = skipBlanks(line, from)
  if (isAlone(declared) && only !== undefined && at < line.length && argsAt(line, at) === undefined)
    return [wholeRest(line, at, only)]
  while (at < line.length) {
    const piece = argsAt(line, at) ?? namedAt(line, at, declared) ?? wordAt(line, at)
    pieces.push(piece)
    at = skipBlanks(line, piece.value.end)
  }
  return pieces
}

function isAlone({ slots, takesAnyKey = false }: Declared): boolean {
  return slots.length === 1 && slots[0]?.takesRest !== false && !takesAnyKey
}

function wholeRest(line: string, start: number, slot: Slot): Piece {
  const key = keyAt(line, start, { slots: [slot] })
  const from = key?.end ?? start
  const value = readValue(line, from)
  const end = Math.max(line.trimEnd().length, from)
  const isQuoted = value.quote === 'closed' && value.end === end && slot.keepsQuotes !== true
  const whole: WrittenValue = isQuoted ? value : { start: from, end, text: line.slice(from, end), quote: 'none' }
  return key === undefined
    ? { kind: 'word', start, value: whole }
    : { kind: 'named', start, key: slot.name, value: whole }
}

function wordAt(line: string, start: number): Piece {
  return { kind: 'word', start, value: readValue(line, start) }
}

function namedAt(line: string, start: number, declared: Declared): Piece | undefined {
  const key = keyAt(line, start, declared)
  return key && { kind: 'named', start, key: key.name, value: readValue(line, key.end) }
}

/** The declared argument whose `key=` or `--key=` begins here. Names are looked up, so they may hold any character; the longest wins. */
function keyAt(
  line: string,
  start: number,
  { slots, takesAnyKey = false }: Declared,
): { readonly name: string; readonly end: number } | undefined {
  const spelt = slots
    .filter(({ name, isPositional = false }) => name !== '' && !isPositional)
    .flatMap(({ name }) => [
      { name, text: `${name}=` },
      { name, text: `--${name}=` },
    ])
    .filter(({ text }) => line.startsWith(text, start))
    // Of two that are as long, the one that needs no dashes is meant.
    .toSorted((a, b) => b.text.length - a.text.length || b.name.length - a.name.length)
  const [best] = spelt
  if (best !== undefined) return { name: best.name, end: start + best.text.length }
  if (!takesAnyKey) return undefined
  const anyKey = /(?:--)?([A-Za-z_][\w.-]*)=/y
  anyKey.lastIndex = start
  const found = anyKey.exec(line)
  return found?.[1] === undefined ? undefined : { name: found[1], end: start + found[0].length }
}

/** `--args` counts only before an object, so that it can still be talked about. */
function argsAt(line: string, start: number): Piece | undefined {
  if (!line.startsWith('--args', start)) return undefined
  const after = line.charAt(start + '--args'.length)
  if (after !== '' && after !== '=' && !isBlank(after)) return undefined
  const flagEnd = start + '--args'.length + (after === '=' ? 1 : 0)
  const valueStart = skipBlanks(line, flagEnd)
  if (valueStart >= line.length) {
    return { kind: 'args', start, flagEnd, value: { start: flagEnd, end: flagEnd, text: '', quote: 'none' } }
  }
  const isQuoted = isQuote(line.charAt(valueStart))
  const first = line.charAt(isQuoted ? skipBlanks(line, valueStart + 1) : valueStart)
  if (first !== '{') return undefined
  return { kind: 'args', start, flagEnd, value: isQuoted ? readValue(line, valueStart) : readObject(line, valueStart) }
}

/** An object without quotes around it, up to its own closing brace. */
function readObject(line: string, start: number): WrittenValue {
  let depth = 0
  let isText = false
  let at = start
  for (; at < line.length; at += 1) {
    const character = line.charAt(at)
    if (isText && character === '\\') at += 1
    else if (character === '"') isText = !isText
    else if (!isText && character === '{') depth += 1
    else if (!isText && character === '}' && (depth -= 1) === 0) break
  }
  const end = Math.min(at + 1, line.length)
  return { start, end, text: line.slice(start, end), quote: 'none' }
}
