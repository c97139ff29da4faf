import type { JsonObject } from '../hub/values.ts'
import { assignPieces } from './assign-pieces.ts'
import type { Declare, Declared, ParsedLine, Problem, Token } from './grammar.ts'
import { findMentions } from './mentions.ts'
import { readPieces } from './read-pieces.ts'
import { isBlank, readValue, skipBlanks } from './written-value.ts'
import { parseObject } from '../json.ts'

/** Reads a line. Pure, and no text makes it throw. */
export function parseLine(line: string, declare: Declare): ParsedLine {
  const name = readName(line)
  if (name === undefined) return textLine(line)
  const firstWord = readValue(line, skipBlanks(line, name.end)).text
  const known = declare(name.value, firstWord)
  if (known === undefined && looksLikePath(name.value)) return textLine(line)
  const declared = known ?? nothing
  const { tokens, problems } =
    known === undefined ? unknownRest(line, name.end) : assignPieces(line, readPieces(line, name.end, known), known)
  const json = readJson(tokens)
  return {
    kind: 'command',
    name: name.value,
    isKnown: known !== undefined,
    firstWord,
    declared,
    tokens: withBlanks(line, [name, ...tokens]),
    problems: [...problems, ...json.problems],
    values: valuesOf(tokens),
    json: json.value,
  }
}

const nothing: Declared = { slots: [] }

/**
 * A command begins with a slash and a name. `//` and `/*` begin code that somebody pastes. Blanks in a name are written with a
 * backslash before them.
 */
function readName(line: string): Token | undefined {
  const start = skipBlanks(line, 0)
  const next = line.charAt(start + 1)
  if (line.charAt(start) !== '/' || next === '/' || next === '*' || isBlank(next)) return undefined
  let at = start + 1
  let value = ''
  while (at < line.length && !isBlank(line.charAt(at))) {
    const isEscape = line.charAt(at) === '\\' && isBlank(line.charAt(at + 1))
    value += isEscape ? line.charAt(at + 1) : line.charAt(at)
    at += isEscape ? 2 : 1
  }
  return { kind: 'name', start, end: at, value }
}

/** `/etc/hosts is wrong` is something to say, not something to run. */
function looksLikePath(name: string): boolean {
  return name.includes('/')
}

function textLine(line: string): ParsedLine {
  const mentions = findMentions(line)
  const tokens: Token[] = []
  let at = 0
  const addText = (end: number) => {
    if (end > at) tokens.push({ kind: 'text', start: at, end, value: line.slice(at, end) })
  }
  for (const { start, end, value } of mentions) {
    addText(start)
    tokens.push({ kind: 'mention', start, end, value })
    at = end
  }
  addText(line.length)
  return {
    kind: 'text',
    name: '',
    isKnown: false,
    firstWord: '',
    declared: nothing,
    tokens,
    problems: [],
    values: new Map(),
    json: undefined,
  }
}

function unknownRest(line: string, from: number): { readonly tokens: readonly Token[]; readonly problems: [] } {
  const start = skipBlanks(line, from)
  const end = line.trimEnd().length
  if (start >= end) return { tokens: [], problems: [] }
  return { tokens: [{ kind: 'extra', start, end, value: line.slice(start, end) }], problems: [] }
}

function withBlanks(line: string, tokens: readonly Token[]): readonly Token[] {
  let at = 0
  const blank = (end: number): readonly Token[] =>
    end > at ? [{ kind: 'blank', start: at, end, value: line.slice(at, end) }] : []
  const covered = tokens.flatMap((token) => {
    const both = [...blank(token.start), token]
    at = token.end
    return both
  })
  return [...covered, ...blank(line.length)]
}

function valuesOf(tokens: readonly Token[]): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, readonly string[]>()
  for (const { kind, argument, value } of tokens) {
    if (kind === 'value' && argument !== undefined) values.set(argument, [...(values.get(argument) ?? []), value])
  }
  return values
}

function readJson(tokens: readonly Token[]): { readonly value?: JsonObject; readonly problems: readonly Problem[] } {
  const flag = tokens.find(({ kind }) => kind === 'flag')
  if (flag === undefined) return { problems: [] }
  const token = tokens.find(({ kind }) => kind === 'json')
  const value = token && parseObject(token.value)
  if (value !== undefined) return { value, problems: [] }
  const { start, end } = token ?? flag
  const message = `--args wants one JSON object, such as --args {"key": "value"}`
  return { problems: [{ severity: 'error', start, end, message }] }
}
