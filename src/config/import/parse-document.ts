import type { ParseError } from 'jsonc-parser'
import type { JsonValue } from '../../json.ts'

export interface FileProblem {
  readonly message: string
  readonly line?: number
  readonly column?: number
}

export type ParsedDocument =
  | { readonly kind: 'parsed'; readonly value: JsonValue }
  | { readonly kind: 'empty' }
  | { readonly kind: 'broken'; readonly problem: FileProblem }

/** Parses a client's file: TOML, or JSON with comments and trailing commas. The parsers are loaded only here. */
export async function parseDocument(format: 'json' | 'toml', text: string): Promise<ParsedDocument> {
  const source = text.replace(/^\uFEFF/, '')
  if (source.trim() === '') return { kind: 'empty' }
  return format === 'toml' ? await parseToml(source) : await parseJson(source)
}

async function parseJson(source: string): Promise<ParsedDocument> {
  const plain = parsePlainJson(source)
  if (plain !== undefined) return { kind: 'parsed', value: toJson(plain) }
  const { parse, printParseErrorCode } = await import('jsonc-parser')
  const errors: ParseError[] = []
  const value: unknown = parse(source, errors, { allowTrailingComma: true })
  const [first] = errors
  if (first === undefined) return { kind: 'parsed', value: toJson(value) }
  const before = source.slice(0, first.offset).split(/\r\n|\r|\n/)
  const message = printParseErrorCode(first.error)
    .replaceAll(/([A-Z])/g, ' $1')
    .trim()
    .toLowerCase()
  return { kind: 'broken', problem: { message, line: before.length, column: (before.at(-1) ?? '').length + 1 } }
}

/** Some clients keep their whole history in the file: the platform's parser reads megabytes in a blink. */
function parsePlainJson(source: string): unknown {
  try {
    return JSON.parse(source)
  } catch {
    return undefined
  }
}

async function parseToml(source: string): Promise<ParsedDocument> {
  const { parse, TomlError } = await import('smol-toml')
  try {
    return { kind: 'parsed', value: toJson(parse(source)) }
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    // Its message goes on with an excerpt of the file, which may hold a token.
    const message = (error.message.split('\n')[0] ?? '').replace(/^Invalid TOML document: /, '')
    return { kind: 'broken', problem: { message, line: error.line, column: error.column } }
  }
}

/** Dates of TOML become their text; nothing else of either format lies outside JSON. */
function toJson(value: unknown): JsonValue {
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number')
    return value
  if (Array.isArray(value)) return value.map(toJson)
  if (value instanceof Date) return value.toISOString()
  if (typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, toJson(item)]))
  }
  return null
}
