import type { JsonSchema } from '../../hub/api.ts'
import { followRef, isSchemaObject } from '../../hub/catalogue/schema-ref.ts'
import { requiredNames, schemaType } from '../../hub/catalogue/schema-type.ts'

/** One argument, or one field inside an argument: `filter.since`, `edits[].oldText`. */
export interface ArgumentRow {
  readonly name: string
  readonly type: string
  readonly isRequired: boolean
  /** As JSON; empty when there is none. */
  readonly defaultValue: string
  readonly description: string
}

const deepest = 4

/** The arguments of a tool as rows, nested objects after the row they belong to. */
export function argumentRows(schema: JsonSchema): readonly ArgumentRow[] {
  return fieldsOf(schema, { root: schema, prefix: '', depth: 0, refs: [] })
}

interface Place {
  readonly root: JsonSchema
  readonly prefix: string
  readonly depth: number
  /** The `$ref`s on the way here, so that a recursive type is told once. */
  readonly refs: readonly string[]
}

function fieldsOf(unresolved: unknown, place: Place): readonly ArgumentRow[] {
  if (place.depth >= deepest) return []
  const parts = objectParts(unresolved, place.root)
  const required = new Set(parts.flatMap((part) => requiredNames(part)))
  const properties = new Map(
    parts.flatMap((part) => (isSchemaObject(part['properties']) ? Object.entries(part['properties']) : [])),
  )
  return [...properties].flatMap(([name, schema]) => {
    const path = place.prefix + name
    const inner = innerRows(path, schema, place)
    const type = inner.length > 0 ? outerType(schema, place.root) : schemaType(schema, { root: place.root })
    return [row({ name: path, type, isRequired: required.has(name) }, followRef(schema, place.root))].concat(inner)
  })
}

/** The object itself and the objects it is put together from. */
function objectParts(unresolved: unknown, root: JsonSchema, depth = 0): readonly JsonSchema[] {
  const schema = followRef(unresolved, root)
  if (schema === undefined || depth > deepest) return []
  const parts = Array.isArray(schema['allOf']) ? schema['allOf'] : []
  return [schema, ...parts.flatMap((part) => objectParts(part, root, depth + 1))]
}

function row(known: Pick<ArgumentRow, 'name' | 'type' | 'isRequired'>, schema: JsonSchema = {}): ArgumentRow {
  const { description, default: defaultValue } = schema
  const sentences = [typeof description === 'string' ? description : '', limitsOf(schema)]
  return {
    ...known,
    defaultValue: defaultValue === undefined ? '' : JSON.stringify(defaultValue),
    description: sentences.filter((sentence) => sentence !== '').join(' '),
  }
}

/** The fields have rows of their own, so the type need not spell them out. */
function outerType(schema: unknown, root: JsonSchema): string {
  return isSchemaObject(followRef(schema, root)?.['items']) ? 'object[]' : 'object'
}

function innerRows(path: string, unresolved: unknown, place: Place): readonly ArgumentRow[] {
  const schema = followRef(unresolved, place.root)
  if (schema === undefined) return []
  const items = isSchemaObject(schema['items']) ? schema['items'] : undefined
  const met = [refOf(unresolved), refOf(items)].filter((ref) => ref !== undefined)
  if (met.some((ref) => place.refs.includes(ref))) return []
  const prefix = items === undefined ? `${path}.` : `${path}[].`
  return fieldsOf(items ?? schema, { ...place, prefix, depth: place.depth + 1, refs: [...place.refs, ...met] })
}

function refOf(schema: unknown): string | undefined {
  const ref = isSchemaObject(schema) ? schema['$ref'] : undefined
  return typeof ref === 'string' ? ref : undefined
}

/** What a type cannot say, in words. */
function limitsOf(schema: JsonSchema): string {
  const parts = limitNames.flatMap(([keyword, words]) => {
    const value = schema[keyword]
    return typeof value === 'number' || typeof value === 'string' ? [`${words} ${value}`] : []
  })
  return parts.length === 0 ? '' : `(${parts.join(', ')})`
}

const limitNames: readonly (readonly [string, string])[] = [
  ['format', 'format'],
  ['minimum', 'at least'],
  ['exclusiveMinimum', 'more than'],
  ['maximum', 'at most'],
  ['exclusiveMaximum', 'less than'],
  ['multipleOf', 'a multiple of'],
  ['minLength', 'length at least'],
  ['maxLength', 'length at most'],
  ['minItems', 'items at least'],
  ['maxItems', 'items at most'],
  ['pattern', 'pattern'],
]
