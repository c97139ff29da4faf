import type { JsonObject, JsonSchema, JsonValue } from '../../hub/values.ts'
import type { XmlParameter } from './parse-call.ts'

export type TypedParameters =
  | { readonly kind: 'typed'; readonly value: JsonObject }
  | { readonly kind: 'wrong'; readonly problem: string }

/** Gives written values the types of the tool's schema. A parameter that is written several times is a list. */
export function typeParameters(schema: JsonSchema, parameters: readonly XmlParameter[]): TypedParameters {
  const properties = asRecord(schema['properties']) ?? {}
  const names = [...new Set(parameters.map(({ name }) => name))]
  const problems: string[] = []
  const entries = names.map((name): [string, JsonValue] => {
    const texts = parameters.filter((parameter) => parameter.name === name).map(({ value }) => value)
    const typed = typeTexts(texts, asRecord(properties[name]) ?? {})
    if (typed.kind === 'wrong') problems.push(`<${name}> ${typed.problem}`)
    return [name, typed.kind === 'typed' ? typed.value : null]
  })
  if (problems.length > 0) return { kind: 'wrong', problem: problems.join('; ') }
  return { kind: 'typed', value: Object.fromEntries(entries) }
}

type Typed =
  | { readonly kind: 'typed'; readonly value: JsonValue }
  | { readonly kind: 'wrong'; readonly problem: string }

function typeTexts(texts: readonly string[], schema: JsonSchema): Typed {
  const [text = '', ...more] = texts
  const isList = typesOf(schema).includes('array')
  const alone = more.length === 0 ? typeText(text, schema) : undefined
  if (alone?.kind === 'typed' || (alone !== undefined && !isList)) return alone
  if (!isList) return { kind: 'wrong', problem: 'is given several times, but is not a list' }
  // One element without brackets is a list of one.
  const items = texts.map((item) => typeText(item, asRecord(schema['items']) ?? {}))
  const wrong = items.find((item) => item.kind === 'wrong')
  return wrong ?? { kind: 'typed', value: items.flatMap((item) => (item.kind === 'typed' ? [item.value] : [])) }
}

function typeText(raw: string, schema: JsonSchema): Typed {
  const types = typesOf(schema)
  const trimmed = raw.trim()
  for (const type of ['null', 'boolean', 'integer', 'number', 'array', 'object'].filter((name) =>
    types.includes(name),
  )) {
    const value = readAs[type]?.(trimmed)
    if (value !== undefined) return { kind: 'typed', value }
  }
  if (types.includes('string') || types.length === 0) return { kind: 'typed', value: asWritten(raw, types) }
  return { kind: 'wrong', problem: `must be ${types.join(' or ')}, not ${JSON.stringify(trimmed.slice(0, 60))}` }
}

/** Text as it is; a line break at both ends only lays out the tags. Of no known type it may be JSON. */
function asWritten(raw: string, types: readonly string[]): JsonValue {
  const parsed = types.length === 0 && /^\s*[[{]/.test(raw) ? parseJson(raw) : undefined
  return parsed ?? raw.replace(/^\r?\n([^]*?)\r?\n[\t ]*$/, '$1')
}

const readAs: Readonly<Record<string, (text: string) => JsonValue | undefined>> = {
  null: (text) => (text === 'null' ? null : undefined),
  boolean: (text) => (/^(?:true|false)$/i.test(text) ? text.toLowerCase() === 'true' : undefined),
  integer: (text) => (/^[+-]?\d+$/.test(text) ? Number(text) : undefined),
  number: (text) => (text !== '' && Number.isFinite(Number(text)) ? Number(text) : undefined),
  array: (text) => {
    const value = parseJson(text)
    return Array.isArray(value) ? value : undefined
  },
  object: (text) => {
    const value = parseJson(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  },
}

/** The JSON types that a schema allows, through `anyOf` and `oneOf`; none when it does not say. */
export function typesOf(schema: JsonSchema): readonly string[] {
  const { type } = schema
  if (typeof type === 'string') return [type]
  if (Array.isArray(type)) return type.filter((item) => typeof item === 'string')
  const values = Array.isArray(schema['enum']) ? schema['enum'] : 'const' in schema ? [schema['const']] : []
  if (values.length > 0) return [...new Set(values.map((value) => (value === null ? 'null' : typeof value)))]
  const branches = [schema['anyOf'], schema['oneOf']].find((list) => Array.isArray(list)) ?? []
  return [...new Set(branches.flatMap((branch) => typesOf(asRecord(branch) ?? {})))]
}

function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}

export function asRecord(value: unknown): JsonSchema | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonSchema) : undefined
}
