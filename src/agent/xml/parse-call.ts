import { cdataEnd, cdataStart, decodeXml } from './entities.ts'

/** One parameter as it was written, with entities decoded. */
export interface XmlParameter {
  readonly name: string
  readonly value: string
}

export type ParsedCall =
  | { readonly kind: 'call'; readonly parameters: readonly XmlParameter[]; readonly end: number }
  | { readonly kind: 'malformed'; readonly problem: string; readonly end: number }
  /** More text is needed to tell. */
  | { readonly kind: 'open' }

export interface CallText {
  readonly text: string
  readonly tool: string
  /** Where the body begins: behind `<tool>`. */
  readonly from: number
  /** Whether elements of the same name inside a value are counted, so that the matching tag closes it. */
  readonly isNesting: boolean
}

/**
 * Reads the body of a call, up to and with the closing tag. Everything is decided by what has been read before it, so that a text
 * gives the same calls in whatever pieces it comes.
 */
export function parseCall({ text, tool, from, isNesting }: CallText): ParsedCall {
  const closing = `</${tool}>`
  const parameters: XmlParameter[] = []
  for (let at = from; ;) {
    at = skipBlanks(text, at)
    if (at === text.length || isPrefix(text, at, closing)) return { kind: 'open' }
    if (text.startsWith(closing, at)) return { kind: 'call', parameters, end: at + closing.length }
    const opening = openingAt(text, at)
    if (opening === 'open') return { kind: 'open' }
    if (opening === undefined) return parameters.length === 0 ? readJson(text, at, closing) : stray(text, at, closing)
    const { name, end } = opening
    const value = opening.isEmpty ? { text: '', end } : readValue({ text, name, from: end, closing, isNesting })
    if (value === undefined) return { kind: 'open' }
    parameters.push({ name, value: value.text })
    at = value.end
  }
}

/** Whether a parameter of this name can be written as an element. */
export function isElementName(name: string): boolean {
  return /^[A-Za-z_][\w.-]*$/.test(name)
}

const blank = /\s*/y
const opener = /<([A-Za-z_][\w.-]*)\s*(\/?)>/y
const openerBegun = /<(?:[A-Za-z_][\w.-]*\s*\/?)?$/y

interface Opening {
  readonly name: string
  readonly end: number
  /** `<name/>` */
  readonly isEmpty: boolean
}

function openingAt(text: string, at: number): Opening | 'open' | undefined {
  opener.lastIndex = at
  const match = opener.exec(text)
  if (match !== null) return { name: match[1] ?? '', end: opener.lastIndex, isEmpty: match[2] === '/' }
  openerBegun.lastIndex = at
  return openerBegun.test(text) ? 'open' : undefined
}

interface ValueText {
  readonly text: string
  readonly name: string
  readonly from: number
  readonly closing: string
  readonly isNesting: boolean
}

/** Undefined where the text ends before the value does. */
function readValue({ text, name, from, closing, isNesting }: ValueText): { text: string; end: number } | undefined {
  const [own, ownEnd] = [`<${name}>`, `</${name}>`]
  let depth = 1
  for (let at = from; ;) {
    at = text.indexOf('<', at)
    if (at === -1) return undefined
    if (isPrefix(text, at, cdataStart) || isPrefix(text, at, ownEnd)) return undefined
    if (text.startsWith(cdataStart, at)) {
      const end = text.indexOf(cdataEnd, at)
      if (end === -1) return undefined
      at = end + cdataEnd.length
    } else if (text.startsWith(ownEnd, at)) {
      const end = at + ownEnd.length
      const follows = depth === 1 ? whatFollows(text, end, closing) : 'more'
      if (follows === 'open') return undefined
      if (follows === 'ends') return { text: decodeXml(text.slice(from, at)), end }
      if (depth > 1) depth -= 1
      at = end
    } else {
      if (isNesting && text.startsWith(own, at)) depth += 1
      at += 1
    }
  }
}

/** A closing tag counts only where another parameter or the end of the call comes next: what else it stands in is a value's text. */
function whatFollows(text: string, at: number, closing: string): 'ends' | 'more' | 'open' {
  const next = skipBlanks(text, at)
  if (next === text.length || isPrefix(text, next, closing)) return 'open'
  if (text.startsWith(closing, next)) return 'ends'
  const opening = openingAt(text, next)
  if (opening === 'open') return 'open'
  return opening === undefined ? 'more' : 'ends'
}

/** Some models write the arguments as JSON instead. */
function readJson(text: string, at: number, closing: string): ParsedCall {
  const end = text.indexOf(closing, at)
  if (end === -1) return { kind: 'open' }
  const value = parseObject(text.slice(at, end))
  if (value === undefined) return stray(text, at, closing)
  const parameters = Object.entries(value).map(([name, item]) => ({
    name,
    value: typeof item === 'string' ? item : JSON.stringify(item),
  }))
  return { kind: 'call', parameters, end: end + closing.length }
}

function parseObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

function stray(text: string, at: number, closing: string): ParsedCall {
  const end = text.indexOf(closing, at)
  if (end === -1) return { kind: 'open' }
  const shown = text.slice(at, Math.min(end, at + 40)).trim()
  const problem = `"${shown}" stands outside of a parameter; write each one as <name>value</name>`
  return { kind: 'malformed', problem, end: end + closing.length }
}

function skipBlanks(text: string, at: number): number {
  blank.lastIndex = at
  blank.exec(text)
  return blank.lastIndex
}

/** Whether the text ends in the middle of what could become `wanted`. */
function isPrefix(text: string, at: number, wanted: string): boolean {
  const rest = text.length - at
  return rest < wanted.length && wanted.startsWith(text.slice(at))
}
