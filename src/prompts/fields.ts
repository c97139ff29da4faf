import { CapstanError } from '../errors.ts'
import { isObject, type JsonObject, type JsonValue } from '../json.ts'

/** Reads the fields of one object of a prompt, each by the type it must have; errors name the field as people write it. */
export interface Fields {
  readonly has: (field: string) => boolean
  readonly isText: (field: string) => boolean
  readonly text: (field: string) => string
  readonly textLike: (field: string, pattern: RegExp, wanted: string) => string
  readonly texts: (field: string) => readonly string[]
  readonly flag: (field: string, fallback: boolean) => boolean
  readonly choice: <const Choice extends string>(field: string, choices: readonly Choice[]) => Choice
  readonly optionalText: <Field extends string>(field: Field) => Optional<Field, string>
  readonly optionalDate: <Field extends string>(field: Field) => Optional<Field, string>
  readonly optionalScalar: <Field extends string>(field: Field) => Optional<Field, string>
  readonly optionalScalars: <Field extends string>(field: Field) => Optional<Field, readonly string[]>
  readonly optionalChoice: <Field extends string, const Choice extends string>(
    field: Field,
    choices: readonly Choice[],
  ) => Optional<Field, Choice>
  readonly json: (field: string) => JsonObject
  readonly within: (field: string) => Fields
  readonly items: <Item>(field: string, read: (fields: Fields) => Item) => readonly Item[]
  readonly wrong: (field: string, wanted: string, came: string) => CapstanError
}

type Optional<Field extends string, Value> = { readonly [Key in Field]?: Value }

/** Whose fields: what every error begins with, and the way to this object inside of it. */
interface Place {
  readonly owner: string
  readonly path: string
}

export function fieldsOf(value: unknown, { owner, path }: Place): Fields {
  if (!isObject(value)) throw wrongType({ owner, path }, 'an object', value)
  const pathOf = (field: string): Place => ({ owner, path: path === '' ? field : `${path}.${field}` })
  // JSON has no `undefined`, and other programs write `null` for what is not there.
  const has = (field: string) => Object.hasOwn(value, field) && value[field] !== null && value[field] !== undefined
  const valueOf = (field: string): unknown => (has(field) ? value[field] : undefined)
  const listOf = (field: string) => (has(field) ? asList(valueOf(field), pathOf(field)) : [])
  const optional = <Field extends string, Value>(field: Field, read: (value: unknown, place: Place) => Value) =>
    // A computed key loses its type.
    (has(field) ? { [field]: read(valueOf(field), pathOf(field)) } : {}) as Optional<Field, Value>

  return {
    has,
    isText: (field) => typeof valueOf(field) === 'string',
    text: (field) => asText(valueOf(field), pathOf(field)),
    textLike: (field, pattern, wanted) => {
      const text = asText(valueOf(field), pathOf(field))
      if (!pattern.test(text)) throw wrongValue(pathOf(field), wanted, JSON.stringify(text.slice(0, 80)))
      return text
    },
    texts: (field) => listOf(field).map(([item, place]) => asText(item, place)),
    flag: (field, fallback) => (has(field) ? asFlag(valueOf(field), pathOf(field)) : fallback),
    choice: (field, choices) => asChoice(valueOf(field), choices, pathOf(field)),
    optionalText: (field) => optional(field, asText),
    optionalDate: (field) => optional(field, asDate),
    optionalScalar: (field) => optional(field, asScalar),
    optionalScalars: (field) =>
      optional(field, (list, place) => asList(list, place).map(([item, at]) => asScalar(item, at))),
    optionalChoice: (field, choices) => optional(field, (text, place) => asChoice(text, choices, place)),
    json: (field) => asJsonObject(valueOf(field), pathOf(field)),
    within: (field) => fieldsOf(valueOf(field), pathOf(field)),
    items: (field, read) => listOf(field).map(([item, place]) => read(fieldsOf(item, place))),
    wrong: (field, wanted, came) => wrongValue(pathOf(field), wanted, came),
  }
}

function asList(value: unknown, place: Place): readonly (readonly [unknown, Place])[] {
  if (!Array.isArray(value)) throw wrongType(place, 'a list', value)
  return value.map((item: unknown, index) => [item, { ...place, path: `${place.path}[${index}]` }])
}

function asText(value: unknown, place: Place): string {
  if (typeof value !== 'string') throw wrongType(place, 'a text', value)
  return value
}

function asFlag(value: unknown, place: Place): boolean {
  if (typeof value !== 'boolean') throw wrongType(place, 'true or false', value)
  return value
}

/** Values are text; a number or a yes written without quotes means that text. */
function asScalar(value: unknown, place: Place): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return asText(value, place)
}

function asDate(value: unknown, place: Place): string {
  const text = asText(value, place)
  if (Number.isNaN(Date.parse(text))) {
    throw wrongValue(place, 'a date such as 2026-01-31T12:00:00Z', JSON.stringify(text.slice(0, 80)))
  }
  return text
}

function asChoice<Choice extends string>(value: unknown, choices: readonly Choice[], place: Place): Choice {
  const text = asText(value, place)
  const choice = choices.find((known) => known === text)
  if (choice === undefined) throw wrongValue(place, choices.join(' or '), JSON.stringify(text.slice(0, 80)))
  return choice
}

function asJsonObject(value: unknown, place: Place): JsonObject {
  if (!isObject(value) || !isJson(value)) throw wrongType(place, 'an object of plain JSON', value)
  return value
}

function isJson(value: unknown): value is JsonObject & JsonValue {
  if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) return true
  if (Array.isArray(value)) return value.every(isJson)
  return isObject(value) && Object.values(value).every(isJson)
}

function wrongType(place: Place, wanted: string, value: unknown): CapstanError {
  return wrongValue(place, wanted, kindOf(value))
}

function wrongValue({ owner, path }: Place, wanted: string, came: string): CapstanError {
  const what =
    path === '' ? `${owner} must be ${wanted}, but is ${came}.` : `${owner}: ${path} must be ${wanted}, but is ${came}.`
  return new CapstanError('prompt_invalid', what, {
    next: path === '' ? 'Write it as a JSON object.' : `Correct ${path}.`,
  })
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'missing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'an object'
  if (typeof value === 'number') return `the number ${value}`
  return typeof value === 'string' ? 'a text' : `a ${typeof value}`
}
