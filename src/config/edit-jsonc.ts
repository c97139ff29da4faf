import type { JsonValue } from '../json.ts'
import { createScanner, findNodeAtLocation, parseTree, type JSONPath, type Node } from 'jsonc-parser'
import { formatJson, type JsonStyle } from './format-json.ts'

// jsonc-parser's own `modify` moves or drops the comments next to what it adds or removes; hence this file.

/** The text with this member set; the object that holds it must exist. Everything else stays byte for byte. */
export function setMember(text: string, path: JSONPath, value: JsonValue): string {
  const existing = nodeAt(text, path)
  const style = styleOf(text)
  if (existing !== undefined) {
    const written = formatJson(value, style, indentationAt(text, existing.parent?.offset ?? existing.offset))
    return splice(text, { from: existing.offset, to: endOf(existing), insert: written })
  }
  const holder = nodeAt(text, path.slice(0, -1))
  if (holder?.type !== 'object') throw new Error(`no object at ${path.slice(0, -1).join('.')}`)
  return insertMember(text, holder, { key: JSON.stringify(path.at(-1)), value, style })
}

/** The text without this member, its comma, and the comment that ends its line; other comments stay. */
export function removeMember(text: string, path: JSONPath): string {
  const property = nodeAt(text, path)?.parent
  const holder = property?.parent
  if (property === undefined || holder?.children === undefined) return text
  const commaAfter = commaFrom(text, endOf(property))
  const before = holder.children[holder.children.indexOf(property) - 1]
  const shortened = cut(text, linesOf(text, property.offset, commaAfter?.end ?? endOf(property)))
  if (before === undefined) return closeIfBlank(shortened, path.slice(0, -1))
  const commaBefore = commaFrom(text, endOf(before))
  if (commaAfter !== undefined || commaBefore === undefined) return shortened
  // It was the last one: the comma that set it apart from the one before is now one too many.
  const between = text.slice(commaBefore.end, property.offset)
  const blank = /^[ \t]*$/.test(between) ? between.length : 0
  return cut(shortened, { from: commaBefore.start, to: commaBefore.end + blank })
}

interface NewMember {
  readonly key: string
  readonly value: JsonValue
  readonly style: JsonStyle
}

function insertMember(text: string, holder: Node, { key, value, style }: NewMember): string {
  const last = holder.children?.at(-1)
  const closing = endOf(holder) - 1
  const isOneLine = !text.slice(holder.offset, closing).includes('\n')
  const baseIndentation = indentationAt(text, holder.offset)
  if (last !== undefined && isOneLine) {
    const comma = commaFrom(text, endOf(last))
    const member = `${key}: ${JSON.stringify(value)}`
    if (comma === undefined) return splice(text, { from: endOf(last), to: endOf(last), insert: `, ${member}` })
    return splice(text, { from: comma.end, to: comma.end, insert: ` ${member},` })
  }
  const indentation = last === undefined ? baseIndentation + style.indent : indentationAt(text, last.offset)
  const member = `${style.eol}${indentation}${key}: ${formatJson(value, style, indentation)}`
  // Behind the comments that follow the last member, so that each keeps its place.
  const contentEnd = holder.offset + text.slice(holder.offset, closing).trimEnd().length
  const hasTrailingComma = last !== undefined && commaFrom(text, endOf(last)) !== undefined
  const tail = `${hasTrailingComma ? ',' : ''}${style.eol}${baseIndentation}`
  const inserted = splice(text, { from: contentEnd, to: closing, insert: `${member}${tail}` })
  if (last === undefined || hasTrailingComma) return inserted
  return splice(inserted, { from: endOf(last), to: endOf(last), insert: ',' })
}

function closeIfBlank(text: string, path: JSONPath): string {
  const holder = nodeAt(text, path)
  if (holder === undefined || text.slice(holder.offset + 1, endOf(holder) - 1).trim() !== '') return text
  return splice(text, { from: holder.offset, to: endOf(holder), insert: '{}' })
}

/** What to cut so that a member which has its lines to itself leaves no empty line; a comment behind it goes with it. */
function linesOf(text: string, start: number, end: number): { readonly from: number; readonly to: number } {
  const lineStart = text.lastIndexOf('\n', start - 1) + 1
  const rest = /^[ \t]*(?:\/\/[^\r\n]*|\/\*[^\r\n]*?\*\/[ \t]*)?(?:\r?\n|$)/.exec(text.slice(end))
  const isAlone = text.slice(lineStart, start).trim() === ''
  if (isAlone && rest !== null) return { from: lineStart, to: end + rest[0].length }
  const blankAfter = text[end - 1] === ',' ? (/^[ \t]*/.exec(text.slice(end))?.[0].length ?? 0) : 0
  return { from: start, to: end + blankAfter }
}

/** The comma behind a member, past blanks and comments. */
function commaFrom(text: string, offset: number): { readonly start: number; readonly end: number } | undefined {
  const scanner = createScanner(text, true)
  scanner.setPosition(offset)
  scanner.scan()
  const start = scanner.getTokenOffset()
  return text[start] === ',' ? { start, end: start + 1 } : undefined
}

function styleOf(text: string): JsonStyle {
  const indent = /\n([ \t]+)["/]/.exec(text)?.[1]
  return { indent: indent ?? '  ', eol: text.includes('\r\n') ? '\r\n' : '\n' }
}

function indentationAt(text: string, offset: number): string {
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1
  return /^[ \t]*/.exec(text.slice(lineStart))?.[0] ?? ''
}

function nodeAt(text: string, path: JSONPath): Node | undefined {
  const root = parseTree(text, [], { allowTrailingComma: true })
  return root === undefined ? undefined : findNodeAtLocation(root, path)
}

function endOf(node: Node): number {
  return node.offset + node.length
}

function cut(text: string, { from, to }: { readonly from: number; readonly to: number }): string {
  return splice(text, { from, to, insert: '' })
}

function splice(text: string, { from, to, insert }: { from: number; to: number; insert: string }): string {
  return text.slice(0, from) + insert + text.slice(to)
}
