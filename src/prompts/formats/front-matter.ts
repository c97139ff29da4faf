import { parseDocument, stringify } from 'yaml'
import { isObject, type JsonObject } from '../../json.ts'

export interface MarkdownFile {
  readonly fields: JsonObject
  /** Without the blank lines around it. */
  readonly body: string
}

/** Splits a Markdown file into the fields of its front matter and the text below. */
export function readFrontMatter(text: string): MarkdownFile {
  const lines = text
    .replace(/^\uFEFF/, '')
    .replaceAll('\r\n', '\n')
    .split('\n')
  const end = lines[0]?.trimEnd() === '---' ? lines.findIndex((line, at) => at > 0 && line.trimEnd() === '---') : -1
  const header = lines.slice(1, Math.max(end, 1)).join('\n')
  return { fields: readFields(header), body: withoutBlankEdges(lines.slice(end + 1).join('\n')) }
}

export function writeFrontMatter({ fields, body }: MarkdownFile): string {
  const yaml = Object.keys(fields).length === 0 ? '' : stringify(fields, { lineWidth: 0 })
  // A text that begins like front matter must not be taken for it.
  const header = yaml === '' && !body.startsWith('---') ? '' : `---\n${yaml}---\n\n`
  return `${header}${body}\n`
}

/** A text field; other programs leave out the quotes, so that `[issue]` comes as a list and `2` as a number. */
export function textField(fields: JsonObject, name: string): string | undefined {
  const value = fields[name]
  if (typeof value === 'string') return value.trim() === '' ? undefined : value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return Array.isArray(value) ? `[${value.join(', ')}]` : undefined
}

/** The fields besides those that were understood. */
export function otherFields(fields: JsonObject, known: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !known.includes(name)))
}

function withoutBlankEdges(text: string): string {
  return text.replace(/^(?:[ \t]*\n)+/, '').trimEnd()
}

function readFields(header: string): JsonObject {
  const document = parseDocument(header, { logLevel: 'error' })
  if (document.errors.length > 0) return readLineByLine(header)
  const value: unknown = toJson(document)
  if (!isJsonObject(value)) return readLineByLine(header)
  // `description: Review: fast` is a map to YAML, and a sentence to whoever wrote it.
  const isMisread = Object.entries(value).some(([name, field]) => name !== 'metadata' && isObject(field))
  return isMisread && !/^\s+\S/m.test(header) ? readLineByLine(header) : value
}

function toJson(document: ReturnType<typeof parseDocument>): unknown {
  try {
    const value: unknown = document.toJS({ maxAliasCount: 50 })
    return value === null || value === undefined ? {} : JSON.parse(JSON.stringify(value))
  } catch {
    // Aliases that make the text explode; what each line says is still there.
    return undefined
  }
}

/**
 * Front matter that YAML refuses, and clients accept: `argument-hint: [file] [mode]`, a colon inside a sentence. Each line is a
 * field, the indented ones below belong to it.
 */
function readLineByLine(header: string): JsonObject {
  const fields = new Map<string, string>()
  let last: string | undefined
  for (const line of header.split('\n')) {
    const [, name, value = ''] = /^([A-Za-z][\w-]*):(?:\s+(.*))?$/.exec(line) ?? []
    if (name !== undefined) {
      fields.set(name, unquoted(value.trim()))
      last = name
    } else if (last !== undefined && line.trim() !== '' && !line.startsWith('#')) {
      fields.set(last, `${fields.get(last) ?? ''} ${line.trim()}`.trim())
    }
  }
  return Object.fromEntries(fields)
}

function unquoted(text: string): string {
  const [, single, double] = /^(?:'(.*)'|"(.*)")$/.exec(text) ?? []
  return single?.replaceAll("''", "'") ?? double?.replaceAll(String.raw`\"`, '"') ?? text
}

function isJsonObject(value: unknown): value is JsonObject {
  return isObject(value)
}
