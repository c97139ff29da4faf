import { CapstanError, type CapstanErrorCode } from '../errors.ts'
import type { RawEntry } from './types.ts'
import { isObject } from '../json.ts'

/** Whose entry is being read: what every error about it names. */
export interface EntryPlace {
  readonly name: string
  /** Absent for servers given on the command line or by a program. */
  readonly file?: string | undefined
}

/** Reads fields of one entry, each by the type it must have. A path is what people see: `everything.args[1]`. */
export interface Fields {
  readonly has: (field: string) => boolean
  readonly text: (field: string) => string
  readonly flag: (field: string) => boolean | undefined
  readonly seconds: (field: string) => number | undefined
  readonly count: (field: string) => number | undefined
  readonly oneOf: <Choice extends string>(field: string, choices: readonly Choice[]) => Choice | undefined
  readonly texts: (field: string) => readonly string[]
  readonly textsByName: (field: string) => Readonly<Record<string, string>>
  readonly isList: (field: string) => boolean
  readonly isTrue: (field: string) => boolean
  /** The fields of an object inside the entry. */
  readonly within: (field: string) => Fields
}

export function readFields(raw: RawEntry, place: EntryPlace, prefix: string = place.name): Fields {
  const pathOf = (field: string) => `${prefix}.${field}`
  const has = (field: string) => Object.hasOwn(raw, field)
  return {
    has,
    text: (field) => asText(raw[field], place, pathOf(field)),
    flag: (field) => (has(field) ? asFlag(raw[field], place, pathOf(field)) : undefined),
    seconds: (field) => (has(field) ? asSeconds(raw[field], place, pathOf(field)) : undefined),
    count: (field) => (has(field) ? asCount(raw[field], place, pathOf(field)) : undefined),
    oneOf: (field, choices) => (has(field) ? asChoice(raw[field], choices, { place, path: pathOf(field) }) : undefined),
    texts: (field) => (has(field) ? asTexts(raw[field], place, pathOf(field)) : []),
    textsByName: (field) => (has(field) ? asTextsByName(raw[field], place, pathOf(field)) : {}),
    isList: (field) => Array.isArray(raw[field]),
    isTrue: (field) => raw[field] === true,
    within: (field) => {
      const object = has(field) ? asObject(raw[field], place, pathOf(field)) : {}
      return readFields(object, place, pathOf(field))
    },
  }
}

export function entryError(
  code: CapstanErrorCode,
  place: EntryPlace,
  details: { readonly problem: string; readonly next: string },
): CapstanError {
  const where = place.file === undefined ? '' : ` (${place.file})`
  return new CapstanError(code, `Server "${place.name}": ${details.problem}${where}.`, {
    server: place.name,
    next: details.next,
  })
}

/** Where a person mends an entry. */
export function mendIn(place: EntryPlace): string {
  return place.file ?? 'the server you gave'
}

export function asObject(value: unknown, place: EntryPlace, path: string): RawEntry {
  if (!isObject(value)) throw badType(place, path, { expected: 'an object', came: value })
  return value
}

function asText(value: unknown, place: EntryPlace, path: string): string {
  if (typeof value !== 'string') throw badType(place, path, { expected: 'a text', came: value })
  // No operating system passes such a character on to a program.
  if (value.includes('\0')) {
    const next = `Remove the \\u0000 from ${path} in ${mendIn(place)}.`
    throw entryError('config_invalid', place, { problem: `${path} holds a NUL character`, next })
  }
  return value
}

function asFlag(value: unknown, place: EntryPlace, path: string): boolean {
  if (typeof value !== 'boolean') throw badType(place, path, { expected: 'true or false', came: value })
  return value
}

function asChoice<Choice extends string>(
  value: unknown,
  choices: readonly Choice[],
  { place, path }: { readonly place: EntryPlace; readonly path: string },
): Choice {
  const choice = choices.find((known) => known === value)
  if (choice !== undefined) return choice
  throw badType(place, path, { expected: choices.map((known) => JSON.stringify(known)).join(' or '), came: value })
}

/** A timer that is asked for more than 2^31 ms fires at once instead of never. */
const mostSeconds = 2_000_000

function asSeconds(value: unknown, place: EntryPlace, path: string): number {
  if (typeof value !== 'number') throw badType(place, path, { expected: 'a number of seconds', came: value })
  if (value > 0 && value <= mostSeconds) return value
  throw entryError('config_invalid', place, {
    problem: `${path} must be seconds, more than 0 and at most ${mostSeconds}, but is ${value}`,
    next: `Correct ${path} in ${mendIn(place)}, or remove it to get the default.`,
  })
}

const mostAtOnce = 1000

function asCount(value: unknown, place: EntryPlace, path: string): number {
  if (typeof value !== 'number') throw badType(place, path, { expected: 'a number', came: value })
  if (Number.isInteger(value) && value >= 1 && value <= mostAtOnce) return value
  throw entryError('config_invalid', place, {
    problem: `${path} must be a whole number from 1 to ${mostAtOnce}, but is ${value}`,
    next: `Correct ${path} in ${mendIn(place)}, or remove it to get the default.`,
  })
}

function asTexts(value: unknown, place: EntryPlace, path: string): readonly string[] {
  if (!Array.isArray(value)) throw badType(place, path, { expected: 'a list of texts', came: value })
  return value.map((item, index) => asText(item, place, `${path}[${index}]`))
}

/** Numbers and booleans are taken as text, because other clients do so and a port is easily written without quotes. */
function asTextsByName(value: unknown, place: EntryPlace, path: string): Readonly<Record<string, string>> {
  const entries = Object.entries(asObject(value, place, path)).map(([name, item]) => {
    const text = typeof item === 'number' || typeof item === 'boolean' ? String(item) : item
    return [name, asText(text, place, `${path}.${name}`)] as const
  })
  return Object.fromEntries(entries)
}

function badType(
  place: EntryPlace,
  path: string,
  { expected, came }: { readonly expected: string; readonly came: unknown },
): CapstanError {
  return entryError('config_bad_type', place, {
    problem: `${path} must be ${expected}, but is ${kindOf(came)}`,
    next: `Correct ${path} in ${mendIn(place)}.`,
  })
}

/** Names what came without showing texts: they may be secrets. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (value === undefined) return 'missing'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'number') return `the number ${value}`
  if (typeof value === 'boolean') return String(value)
  return typeof value === 'string' ? 'a text' : 'an object'
}
