import { parseCall, type ParsedCall, type XmlParameter } from './parse-call.ts'

export type XmlEvent =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'call_begins'; readonly tool: string }
  | { readonly kind: 'call'; readonly tool: string; readonly parameters: readonly XmlParameter[] }
  | { readonly kind: 'malformed'; readonly tool: string; readonly text: string; readonly problem: string }
  /** The model went on to write a result itself; that and all that follows is not true and left out. */
  | { readonly kind: 'invented_result' }

export interface XmlScanner {
  push(text: string): readonly XmlEvent[]
  /** The rest, when nothing more will come. */
  finish(): readonly XmlEvent[]
}

interface OpenCall {
  readonly tool: string
  readonly start: number
  readonly from: number
  readonly problem?: string
}

/** The element that results come in. Only we write it. */
export const resultElement = 'tool_result'

/**
 * Finds calls in a reply as it streams: elements named after a known tool, at the top level, outside of code. Text passes through at
 * once; only what may yet become a call, or the edge of code, is held back.
 */
export function xmlScanner(tools: ReadonlySet<string>): XmlScanner {
  const names = new Set([...tools, resultElement])
  let waiting: string[] = []
  let tail = ''
  let buffer = ''
  let at = 0
  let spoken = ''
  let events: XmlEvent[] = []
  let isLineStart = true
  let fence: string | undefined
  let inlineTicks = 0
  let call: OpenCall | undefined
  let isOver = false

  return {
    push(text) {
      waiting.push(text)
      return isWorthReading(text) ? run(false) : []
    },
    finish: () => run(true),
  }

  /** A call is read from its start each time, so that waits until its end can have come. */
  function isWorthReading(text: string): boolean {
    if (call === undefined) return true
    const closing = `</${call.tool}>`
    const seen = tail + text
    tail = seen.slice(-closing.length + 1)
    return seen.includes(closing)
  }

  function run(isFinal: boolean): readonly XmlEvent[] {
    buffer += waiting.join('')
    waiting = []
    while (!isOver && at < buffer.length && (call === undefined ? readText(isFinal) : readCall(isFinal))) continue
    say()
    if (call === undefined || isOver) {
      buffer = isOver ? '' : buffer.slice(at)
      at = 0
    }
    const found = events
    events = []
    return found
  }

  /** One step through text outside of calls. False when more is needed to go on. */
  function readText(isFinal: boolean): boolean {
    if (isLineStart) {
      const edge = fenceAt(buffer, at, fence, isFinal)
      if (edge === 'undecided') return false
      if (edge !== undefined) fence = fence === undefined ? edge.marks : undefined
      if (edge !== undefined) return take(lineEnd(buffer, at))
    }
    if (fence !== undefined) return take(lineEnd(buffer, at))
    const character = buffer[at]
    if (character === '`') return readTicks(isFinal)
    if (character === '<' && inlineTicks === 0) return readOpening(isFinal)
    return take(nextMark(buffer, at))
  }

  function readTicks(isFinal: boolean): boolean {
    const end = endOfRun(buffer, at)
    if (end === buffer.length && !isFinal) return false
    if (inlineTicks === 0) inlineTicks = end - at
    else if (inlineTicks === end - at) inlineTicks = 0
    return take(end)
  }

  function readOpening(isFinal: boolean): boolean {
    const opening = openingAt(buffer, at, names)
    if (opening === 'open' && !isFinal) return false
    if (opening === 'open' || opening === undefined) return take(at + 1)
    say()
    const { tool, end, attributes, isEmpty } = opening
    if (tool === resultElement) {
      events.push({ kind: 'invented_result' })
      isOver = true
      return false
    }
    events.push({ kind: 'call_begins', tool })
    if (isEmpty) return closeCall({ kind: 'call', parameters: [], end }, { tool, start: at })
    const problem =
      attributes === ''
        ? {}
        : { problem: `attributes (${attributes}) are not read; write each parameter as <name>value</name>` }
    call = { tool, start: at, from: end, ...problem }
    tail = buffer.slice(end).slice(-tool.length - 2)
    return true
  }

  function readCall(isFinal: boolean): boolean {
    if (call === undefined) return true
    const { tool, start, from } = call
    const body = { text: buffer, tool, from }
    const parsed = parseCall({ ...body, isNesting: true })
    if (parsed.kind !== 'open') return closeCall(parsed, call)
    if (!isFinal) return false
    // A value may name its own tag without closing it; then the first closing tag that fits ends it.
    const flat = parseCall({ ...body, isNesting: false })
    if (flat.kind !== 'open') return closeCall(flat, call)
    events.push({ kind: 'malformed', tool, text: buffer.slice(start), problem: `</${tool}> is missing` })
    isOver = true
    return false
  }

  function closeCall(
    parsed: Exclude<ParsedCall, { kind: 'open' }>,
    { tool, start, problem }: { tool: string; start: number; problem?: string },
  ): boolean {
    const fault = problem ?? (parsed.kind === 'malformed' ? parsed.problem : undefined)
    if (fault !== undefined)
      events.push({ kind: 'malformed', tool, text: buffer.slice(start, parsed.end), problem: fault })
    else if (parsed.kind === 'call') events.push({ kind: 'call', tool, parameters: parsed.parameters })
    call = undefined
    isLineStart = false
    at = parsed.end
    return true
  }

  /** Passes text on up to an index. */
  function take(end: number): boolean {
    const text = buffer.slice(at, end)
    spoken += text
    isLineStart = text.endsWith('\n')
    if (isLineStart) inlineTicks = 0
    at = end
    return true
  }

  function say(): void {
    if (spoken !== '') events.push({ kind: 'text', text: spoken })
    spoken = ''
  }
}

type Edge = { readonly kind: 'edge'; readonly marks: string } | 'undecided' | undefined

/** Whether a line begins or ends a block of code; undecided as long as the line may go on. */
function fenceAt(text: string, at: number, fence: string | undefined, isFinal: boolean): Edge {
  const newline = text.indexOf('\n', at)
  const line = text.slice(at, newline === -1 ? text.length : newline)
  const match = /^ {0,3}(?:(`+|~+)(.*))?$/.exec(line)
  if (match === null) return undefined
  if (newline === -1 && !isFinal) return 'undecided'
  const [, marks = '', rest = ''] = match
  if (fence === undefined) {
    const isOpening = marks.length >= 3 && !(marks.startsWith('`') && rest.includes('`'))
    return isOpening ? { kind: 'edge', marks } : undefined
  }
  return marks.startsWith(fence) && rest.trim() === '' ? { kind: 'edge', marks } : undefined
}

/** Behind the end of the line, or of the text. */
function lineEnd(text: string, from: number): number {
  const newline = text.indexOf('\n', from)
  return newline === -1 ? text.length : newline + 1
}

function endOfRun(text: string, at: number): number {
  let end = at
  while (text[end] === '`') end += 1
  return end
}

/** Behind this character and all that follow it and mean nothing by themselves. */
function nextMark(text: string, at: number): number {
  if (text[at] === '\n') return at + 1
  mark.lastIndex = at + 1
  const next = mark.exec(text)
  if (next === null) return text.length
  return next[0] === '\n' ? next.index + 1 : next.index
}

const mark = /[`<\n]/g

interface OpeningTag {
  readonly tool: string
  readonly end: number
  readonly attributes: string
  readonly isEmpty: boolean
}

/** The opening tag of a known tool at `<`; `open` when it may yet become one. */
function openingAt(text: string, at: number, names: ReadonlySet<string>): OpeningTag | 'open' | undefined {
  const word = /^[A-Za-z0-9_-]*/.exec(text.slice(at + 1, at + 1 + longestName))?.[0] ?? ''
  const after = at + 1 + word.length
  if (after === text.length) return [...names].some((name) => name.startsWith(word)) ? 'open' : undefined
  if (!names.has(word)) return undefined
  const close = text.indexOf('>', after)
  const inside = text.slice(after, close === -1 ? text.length : close)
  if (!/^(?:\s[^<]*)?\/?$/.test(inside)) return undefined
  if (close === -1) return 'open'
  const isEmpty = inside.endsWith('/')
  return { tool: word, end: close + 1, attributes: inside.replace(/\/$/, '').trim(), isEmpty }
}

const longestName = 128
