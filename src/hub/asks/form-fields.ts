import { unreachable } from '../../errors.ts'
import type { JsonObject, JsonSchema, JsonValue } from '../api.ts'
import { isSchemaObject } from '../catalogue/schema-ref.ts'
import { typeOf, valueProblem, valuesOffered, type NamedValue } from './field-rules.ts'

export type FieldKind = 'text' | 'number' | 'integer' | 'boolean' | 'choice' | 'choices'

export interface Choice {
  readonly value: string
  readonly title?: string
}

/** One field of a form, whoever asks: what a screen needs to show it. */
export interface FormField {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly required: boolean
  readonly kind: FieldKind
  readonly choices?: readonly Choice[]
  readonly default?: string
}

/** A field of a server's form, with the schema that its value must fit. */
export interface AskField extends FormField {
  readonly schema: JsonSchema
}

/** The value of a field; undefined leaves it out, and then the server's default holds. */
export type FieldReading = { readonly value: JsonValue | undefined } | { readonly problem: string }

export interface FieldProblem {
  readonly field: string
  /** A sentence that names the field. */
  readonly problem: string
}

/** The fields of a form that a server asks for, in its order. */
export function formFields(schema: JsonSchema): readonly AskField[] {
  const required = requiredIn(schema)
  return propertiesOf(schema).map(([name, field]) => fieldOf(name, field, required.includes(name)))
}

/**
 * The value that a person means with a text. An empty text leaves the field out. Several choices stand on lines of their own,
 * or behind commas.
 */
export function readField(field: AskField, text: string): FieldReading {
  const { name, title = name, required, schema } = field
  if (text === '') return required && schema['default'] === undefined ? missing(title) : { value: undefined }
  const value = valueOf(field, text)
  const problem = valueProblem(schema, value)
  return problem === undefined ? { value } : { problem: sentence(title, problem) }
}

/** The content of a form from texts by the names of its fields, and what is wrong with them. */
export function readForm(
  fields: readonly AskField[],
  texts: ReadonlyMap<string, string>,
): { readonly content: JsonObject; readonly problems: readonly FieldProblem[] } {
  const readings = fields.map((field) => [field.name, readField(field, texts.get(field.name) ?? '')] as const)
  const values = readings.flatMap(([name, reading]): readonly (readonly [string, JsonValue])[] =>
    'value' in reading && reading.value !== undefined ? [[name, reading.value]] : [],
  )
  return {
    content: Object.fromEntries(values),
    problems: readings.flatMap(([field, reading]) => ('problem' in reading ? [{ field, ...reading }] : [])),
  }
}

/** What is wrong with the content of a form. A field that is left out has the server's default, where there is one. */
export function problemsIn(schema: JsonSchema, content: JsonObject): readonly FieldProblem[] {
  const required = requiredIn(schema)
  const known = propertiesOf(schema)
  const strangers = schema['additionalProperties'] === false ? Object.keys(content) : []
  return [
    ...known.flatMap(([field, rules]): readonly FieldProblem[] => {
      const isLeftOut = !Object.hasOwn(content, field)
      const isMissing = isLeftOut && required.includes(field) && rules['default'] === undefined
      if (isMissing) return [{ field, ...missing(field) }]
      const problem = isLeftOut ? undefined : valueProblem(rules, content[field])
      return problem === undefined ? [] : [{ field, problem: sentence(field, problem) }]
    }),
    ...strangers
      .filter((name) => !known.some(([field]) => field === name))
      .map((name) => ({ field: name, problem: sentence(name, 'is not a field of the form') })),
  ]
}

function missing(title: string) {
  return { problem: sentence(title, 'is needed') }
}

function sentence(title: string, problem: string): string {
  return `${title} ${problem}.`
}

function propertiesOf({ properties }: JsonSchema): readonly (readonly [name: string, field: JsonSchema])[] {
  const all = isSchemaObject(properties) ? Object.entries(properties) : []
  return all.map(([name, field]) => [name, isSchemaObject(field) ? field : {}] as const)
}

function requiredIn({ required }: JsonSchema): readonly unknown[] {
  return Array.isArray(required) ? required : []
}

function fieldOf(name: string, schema: JsonSchema, required: boolean): AskField {
  const { title, description, default: preset } = schema
  const offered = valuesOffered(schema)
  return {
    name,
    required,
    kind: kindOf(schema, offered !== undefined),
    schema,
    ...(typeof title === 'string' && title !== '' ? { title } : {}),
    ...(typeof description === 'string' && description !== '' ? { description } : {}),
    ...(offered === undefined ? {} : { choices: offered.map((one) => ({ ...one, value: textOf(one.value) })) }),
    ...(preset === undefined ? {} : { default: textOf(preset) }),
  }
}

function kindOf(schema: JsonSchema, isChoice: boolean): FieldKind {
  const type = typeOf(schema)
  if (isChoice) return type === 'array' ? 'choices' : 'choice'
  return type === 'number' || type === 'integer' || type === 'boolean' ? type : 'text'
}

/** A value as it is typed. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join('\n')
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** What fits nothing stays text, for the check to name. */
function valueOf({ kind, schema }: AskField, text: string): JsonValue {
  const offered = valuesOffered(schema) ?? []
  switch (kind) {
    case 'number':
    case 'integer':
      return text.trim() === '' ? text : orText(Number(text), text)
    case 'boolean':
      return booleans.get(text.trim().toLowerCase()) ?? text
    case 'choice':
      return offeredAs(offered, text)?.value ?? text
    case 'choices':
      return wordsIn(text, offered).map((word) => offeredAs(offered, word)?.value ?? word)
    case 'text':
      return [undefined, 'string'].includes(typeOf(schema)) ? text : parsed(text)
    default:
      return unreachable(kind)
  }
}

/** A choice by its value, or else by its title. */
function offeredAs(offered: readonly NamedValue[], word: string): { readonly value: JsonValue } | undefined {
  const found = offered.find(({ value }) => textOf(value) === word) ?? offered.find(({ title }) => title === word)
  // Schemas came as JSON, so what they offer is JSON.
  return found === undefined ? undefined : { value: found.value as JsonValue }
}

const booleans: ReadonlyMap<string, boolean> = new Map([
  ...['true', 'yes', 'y'].map((word) => [word, true] as const),
  ...['false', 'no', 'n'].map((word) => [word, false] as const),
])

function orText(number: number, text: string): JsonValue {
  return Number.isFinite(number) ? number : text
}

/** Lines; one that is no choice as a whole is split at its commas. */
function wordsIn(text: string, offered: readonly NamedValue[]): readonly string[] {
  const lines = text.split('\n').filter((line) => line !== '')
  return lines.flatMap((line) =>
    offeredAs(offered, line) === undefined ? line.split(',').map((word) => word.trim()) : [line],
  )
}

/** Lists and objects, which the specification does not allow in forms, are typed as JSON. */
function parsed(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return text
  }
}
