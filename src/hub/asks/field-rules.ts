import type { JsonSchema } from '../api.ts'
import { isSchemaObject } from '../catalogue/schema-ref.ts'
import { timeBound } from '../arguments/time-bound.ts'

/** One of the values that a field offers, as it is sent. */
export interface NamedValue {
  readonly value: unknown
  readonly title?: string
}

/** The values that a field offers; undefined where it takes any. Older servers name them in `enumNames`. */
export function valuesOffered(schema: JsonSchema): readonly NamedValue[] | undefined {
  const { enum: values, enumNames: names, oneOf, anyOf, items } = schema
  if (typeOf(schema) === 'array') return isSchemaObject(items) ? valuesOffered(items) : undefined
  if (Array.isArray(values))
    return values.map((value: unknown, at) => named(value, Array.isArray(names) ? names[at] : undefined))
  const parts = [oneOf, anyOf].find((list): list is readonly unknown[] => Array.isArray(list))
  if (parts === undefined || !parts.every((part) => isSchemaObject(part) && part['const'] !== undefined))
    return undefined
  return parts.filter(isSchemaObject).map((part) => named(part['const'], part['title']))
}

function named(value: unknown, title: unknown): NamedValue {
  return typeof title === 'string' && title !== '' ? { value, title } : { value }
}

/** The one type of a field; a type that is written as a list has `null` besides. */
export function typeOf({ type }: JsonSchema): string | undefined {
  const first: unknown = [type].flat().find((name) => name !== 'null')
  return typeof first === 'string' ? first : undefined
}

/** What is wrong with a value, as the end of a sentence that begins with the field's name; undefined when nothing is. */
export function valueProblem(schema: JsonSchema, value: unknown): string | undefined {
  if (value === null && [schema['type']].flat().includes('null')) return undefined
  const offered = valuesOffered(schema)
  if (typeOf(schema) === 'array') return listProblem(schema, value, offered)
  if (offered !== undefined) return isOffered(offered, value) ? undefined : `must be one of: ${listed(offered)}`
  return typeProblem(schema, value) ?? firstBroken(rulesOf(schema), value)
}

function listProblem(
  schema: JsonSchema,
  value: unknown,
  offered: readonly NamedValue[] | undefined,
): string | undefined {
  if (!Array.isArray(value)) return 'must be a list'
  if (offered !== undefined && !value.every((item) => isOffered(offered, item)))
    return `must be some of: ${listed(offered)}`
  if (new Set(value).size < value.length && offered !== undefined) return 'has a value twice'
  const [fewest, most] = [numberIn(schema, 'minItems'), numberIn(schema, 'maxItems')]
  if (fewest !== undefined && value.length < fewest) return `needs at least ${fewest} of them`
  return most !== undefined && value.length > most ? `takes at most ${most} of them` : undefined
}

function isOffered(offered: readonly NamedValue[], value: unknown): boolean {
  return offered.some((one) => one.value === value)
}

function listed(offered: readonly NamedValue[]): string {
  return offered.map(({ value }) => String(value)).join(', ')
}

const types: Readonly<Record<string, { readonly words: string; readonly fits: (value: unknown) => boolean }>> = {
  number: { words: 'a number', fits: (value) => typeof value === 'number' && Number.isFinite(value) },
  integer: { words: 'a whole number', fits: Number.isInteger },
  boolean: { words: 'yes or no', fits: (value) => typeof value === 'boolean' },
  string: { words: 'text', fits: (value) => typeof value === 'string' },
  object: { words: 'a JSON object', fits: isSchemaObject },
}

function typeProblem(schema: JsonSchema, value: unknown): string | undefined {
  const type = typeOf(schema) ?? ''
  const known = Object.hasOwn(types, type) ? types[type] : undefined
  return known === undefined || known.fits(value) ? undefined : `must be ${known.words}`
}

interface Rule {
  readonly words: string
  readonly holds: (value: unknown) => boolean
}

/** What a field wants besides its type, in few words each: `at least 1`, `an email address`. */
export function rulesIn(schema: JsonSchema): readonly string[] {
  return rulesOf(schema).map(({ words }) => words)
}

function firstBroken(rules: readonly Rule[], value: unknown): string | undefined {
  const broken = rules.find(({ holds }) => !holds(value))
  return broken === undefined ? undefined : `must be ${broken.words}`
}

function rulesOf(schema: JsonSchema): readonly Rule[] {
  return [...limits(schema), ...lengths(schema), ...formatRule(schema['format']), ...patternRule(schema['pattern'])]
}

function limits(schema: JsonSchema): readonly Rule[] {
  const limit = (keyword: string, words: string, holds: (value: number, limit: number) => boolean): readonly Rule[] => {
    const at = numberIn(schema, keyword)
    if (at === undefined) return []
    return [{ words: `${words} ${at}`, holds: (value) => typeof value !== 'number' || holds(value, at) }]
  }
  return [
    ...limit('minimum', 'at least', (value, at) => value >= at),
    ...limit('maximum', 'at most', (value, at) => value <= at),
    ...limit('exclusiveMinimum', 'above', (value, at) => value > at),
    ...limit('exclusiveMaximum', 'below', (value, at) => value < at),
  ]
}

function lengths(schema: JsonSchema): readonly Rule[] {
  const [least, most] = [numberIn(schema, 'minLength'), numberIn(schema, 'maxLength')]
  const rule = (words: string, holds: (length: number) => boolean): Rule => ({
    words,
    // JSON Schema counts code points.
    holds: (value) => typeof value !== 'string' || holds(Array.from(value).length),
  })
  return [
    ...(least === undefined || least === 0
      ? []
      : [rule(`at least ${least} characters long`, (length) => length >= least)]),
    ...(most === undefined ? [] : [rule(`at most ${most} characters long`, (length) => length <= most)]),
  ]
}

/** Not strict: what a person would call an address is one, and the server has the last word. */
const formats: Readonly<Record<string, { readonly words: string; readonly fits: (text: string) => boolean }>> = {
  email: { words: 'an email address', fits: (text) => /^[^\s@]+@[^\s@]+$/.test(text) },
  uri: { words: 'an address such as https://example.org', fits: (text) => URL.canParse(text) },
  date: { words: 'a date such as 2026-03-31', fits: (text) => /^\d{4}-\d{2}-\d{2}$/.test(text) && isDay(text) },
  'date-time': {
    words: 'a time such as 2026-03-31T12:00:00Z',
    fits: (text) => /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}/.test(text) && isDay(text.slice(0, 10)) && isTime(text),
  },
}

function isDay(text: string): boolean {
  const day = new Date(`${text}T00:00:00Z`)
  // The 30th of February would become a day of March.
  return isTime(text) && day.toISOString().startsWith(text)
}

function isTime(text: string): boolean {
  return !Number.isNaN(Date.parse(text))
}

function formatRule(format: unknown): readonly Rule[] {
  const known = typeof format === 'string' && Object.hasOwn(formats, format) ? formats[format] : undefined
  if (known === undefined) return []
  return [{ words: known.words, holds: (value) => typeof value !== 'string' || known.fits(value) }]
}

const patternMs = 100

/** A pattern that is broken, or takes too long, is the server's to enforce. */
function patternRule(pattern: unknown): readonly Rule[] {
  if (typeof pattern !== 'string') return []
  const holds = (value: unknown): boolean => {
    if (typeof value !== 'string') return true
    try {
      const expression = new RegExp(pattern, 'u')
      return timeBound(patternMs)(() => expression.test(value))
    } catch {
      return true
    }
  }
  return [{ words: `like the pattern ${pattern}`, holds }]
}

function numberIn(schema: JsonSchema, keyword: string): number | undefined {
  const value = schema[keyword]
  return typeof value === 'number' ? value : undefined
}
