import type { JsonObject, JsonSchema, JsonValue, PromptEntry, ToolEntry } from '../../hub/api.ts'
import { followRef, isSchemaObject } from '../../hub/catalogue/schema-ref.ts'
import { requiredNames } from '../../hub/catalogue/schema-type.ts'

/** A command that calls the tool, quoted for a POSIX shell; what only the person can know stands in capitals. */
export function exampleCall(tool: Pick<ToolEntry, 'id' | 'inputSchema'>): string {
  const args = exampleArguments(tool.inputSchema)
  return ['capstan call', shellQuote(tool.id), ...argumentWords(args)].join(' ')
}

/** A command that renders the prompt, with a word for every argument it must have. */
export function examplePrompt(prompt: Pick<PromptEntry, 'id' | 'arguments'>): string {
  const required = (prompt.arguments ?? []).filter((argument) => argument.required === true)
  const args = Object.fromEntries(required.map((argument) => [argument.name, exampleString({}, argument.name)]))
  return ['capstan prompt', shellQuote(prompt.id), ...argumentWords(args)].join(' ')
}

/** The required arguments with a value each, taken from what the schema itself suggests where it does. */
export function exampleArguments(schema: JsonSchema): JsonObject {
  const value = exampleValue(schema, { name: '', root: schema, depth: 0 })
  return isJsonObject(value) ? value : {}
}

/** A word as a POSIX shell reads it back unchanged. */
export function shellQuote(word: string): string {
  return /^[\w./:@%+,=-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}

function argumentWords(args: JsonObject): readonly string[] {
  const entries = Object.entries(args)
  const canBeWords = entries.every(
    ([name, value]) => /^[\w.$-]+$/.test(name) && !name.startsWith('-') && isPlainWord(value),
  )
  if (!canBeWords) return ['--args', shellQuote(JSON.stringify(args))]
  return entries.map(([name, value]) =>
    shellQuote(`${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`),
  )
}

/** `k=@file` and `k=-` mean a file and stdin, so such a string cannot be written as a word. */
function isPlainWord(value: JsonValue): boolean {
  return typeof value !== 'string' || !(value.startsWith('@') || value === '-')
}

interface Place {
  readonly name: string
  readonly root: JsonSchema
  readonly depth: number
}

const deepest = 6

function exampleValue(unresolved: unknown, place: Place): JsonValue {
  const schema = followRef(unresolved, place.root)
  if (schema === undefined || place.depth > deepest) return 'text'
  const suggested = suggestion(schema)
  if (suggested !== undefined) return suggested
  const inner = { ...place, depth: place.depth + 1 }
  const whole = withParts(schema, place.root)
  const alternative = firstAlternative(whole, place.root)
  if (alternative !== undefined) return exampleOfAlternative(whole, alternative, inner)
  return exampleOfType(whole, inner)
}

/** What the author of the schema gave: an example, else the default, the constant, the first of an enumeration. */
function suggestion(schema: JsonSchema): JsonValue | undefined {
  const { examples, enum: values } = schema
  const candidates = [
    ...(Array.isArray(examples) ? [examples[0]] : []),
    schema['example'],
    schema['default'],
    schema['const'],
    ...(Array.isArray(values) ? [values.find((value) => value !== null) ?? values[0]] : []),
  ]
  return candidates.find((value) => isJsonValue(value))
}

/** The schema with the properties and required names of its `allOf` parts. */
function withParts(schema: JsonSchema, root: JsonSchema): JsonSchema {
  const { allOf } = schema
  if (!Array.isArray(allOf)) return schema
  const parts = allOf.map((part) => followRef(part, root)).filter((part) => part !== undefined)
  return [...parts, schema].reduce((merged, part) => mergeObjects(merged, part), {})
}

function mergeObjects(base: JsonSchema, over: JsonSchema): JsonSchema {
  const properties = { ...asObject(base['properties']), ...asObject(over['properties']) }
  const required = [...requiredNames(base), ...requiredNames(over)]
  return { ...base, ...over, ...(Object.keys(properties).length > 0 ? { properties } : {}), required }
}

function firstAlternative(schema: JsonSchema, root: JsonSchema): JsonSchema | undefined {
  const list = schema['anyOf'] ?? schema['oneOf']
  if (!Array.isArray(list)) return undefined
  const members = list.map((member) => followRef(member, root)).filter((member) => member !== undefined)
  return members.find((member) => member['type'] !== 'null') ?? members[0]
}

function exampleOfAlternative(schema: JsonSchema, alternative: JsonSchema, place: Place): JsonValue {
  const { anyOf: _, oneOf: _others, ...own } = schema
  return exampleValue(mergeObjects(own, alternative), place)
}

function exampleOfType(schema: JsonSchema, place: Place): JsonValue {
  const { type } = schema
  const name: unknown = Array.isArray(type) ? (type.find((one) => one !== 'null') ?? 'null') : type
  if (name === 'object' || (name === undefined && isSchemaObject(schema['properties'])))
    return exampleObject(schema, place)
  switch (name) {
    case 'number':
    case 'integer':
      return exampleNumber(schema)
    case 'boolean':
      return true
    case 'null':
      return null
    case 'array':
      return exampleList(schema, place)
    default:
      return exampleString(schema, place.name)
  }
}

function exampleObject(schema: JsonSchema, place: Place): JsonObject {
  const properties = asObject(schema['properties'])
  return Object.fromEntries(
    [...new Set(requiredNames(schema))].map((name) => [name, exampleValue(properties[name] ?? {}, { ...place, name })]),
  )
}

function exampleList(schema: JsonSchema, place: Place): JsonValue {
  const { items, prefixItems, minItems } = schema
  const tuple = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : undefined
  if (tuple !== undefined) return tuple.map((member) => exampleValue(member, place))
  const length = typeof minItems === 'number' ? Math.min(Math.max(1, minItems), 8) : 1
  const ofOne = { ...place, name: place.name.replace(/(?<!s)s$/, '') }
  return Array.from({ length }, () => exampleValue(items ?? {}, ofOne))
}

function exampleNumber(schema: JsonSchema): number {
  const step = number(schema['multipleOf']) ?? 1
  const above = number(schema['exclusiveMinimum'])
  const least = number(schema['minimum']) ?? (above === undefined ? undefined : above + step)
  const most = number(schema['maximum'])
  const wanted = Math.max(1, least ?? 1)
  const fitting = most !== undefined && wanted > most ? most : wanted
  return Math.ceil(fitting / step) * step
}

function exampleString(schema: JsonSchema, name: string): string {
  const value = byFormat[String(schema['format'])] ?? byName.find(([pattern]) => pattern.test(name))?.[1]
  const least = number(schema['minLength']) ?? 0
  const most = number(schema['maxLength']) ?? Number.POSITIVE_INFINITY
  return (value ?? placeholder(name)).padEnd(Math.min(least, 200), '_').slice(0, most)
}

/** A word in capitals that the person has to replace: `PATH` for `path`, `REPO_NAME` for `repoName`. */
function placeholder(name: string): string {
  const words = name.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').match(/[A-Za-z0-9]+/g) ?? ['text']
  return words.join('_').toUpperCase()
}

const byFormat: Readonly<Record<string, string>> = {
  uri: 'https://example.com',
  url: 'https://example.com',
  email: 'someone@example.com',
  date: '2026-01-31',
  time: '12:00:00Z',
  'date-time': '2026-01-31T12:00:00Z',
  uuid: '00000000-0000-4000-8000-000000000000',
  hostname: 'example.com',
  ipv4: '127.0.0.1',
  ipv6: '::1',
}

/** Names of which any value will do. What must exist, such as a path or an id, only the person knows. */
const byName: readonly (readonly [RegExp, string])[] = [
  [/ur[il]$/i, 'https://example.com'],
  [/message|text|query|question|topic|word/i, 'hello'],
]

function number(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

function asObject(value: unknown): JsonSchema {
  return isSchemaObject(value) ? value : {}
}

function isJsonObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Schemas arrive as JSON, so anything present in one is a JSON value. */
function isJsonValue(value: unknown): value is JsonValue {
  return value !== undefined && typeof value !== 'function' && typeof value !== 'symbol' && typeof value !== 'bigint'
}
