import type { JsonSchema } from '../../hub/api.ts'
import { followRef, isSchemaObject } from '../../hub/schema-ref.ts'
import { requiredNames, schemaType } from '../../hub/schema-type.ts'

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
  return fieldsOf(schema, { root: schema, prefix: '', depth: 0 })
}

interface Place {
  readonly root: JsonSchema
  readonly prefix: string
  readonly depth: number
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
    const own = row(path, schema, { root: place.root, isRequired: required.has(name) })
    return [own].concat(innerRows(path, schema, place))
  })
}

/** The object itself and the objects it is put together from. */
function objectParts(unresolved: unknown, root: JsonSchema, depth = 0): readonly JsonSchema[] {
  const schema = followRef(unresolved, root)
  if (schema === undefined || depth > deepest) return []
  const parts = Array.isArray(schema['allOf']) ? schema['allOf'] : []
  return [schema, ...parts.flatMap((part) => objectParts(part, root, depth + 1))]
}

function row(name: string, unresolved: unknown, at: { root: JsonSchema; isRequired: boolean }): ArgumentRow {
  const schema = followRef(unresolved, at.root) ?? {}
  const { description, default: defaultValue } = schema
  return {
    name,
    type: hasInnerRows(schema, at.root) ? outerType(schema) : schemaType(unresolved, { root: at.root }),
    isRequired: at.isRequired,
    defaultValue: defaultValue === undefined ? '' : JSON.stringify(defaultValue),
    description: [typeof description === 'string' ? description : '', limitsOf(schema)]
      .filter((part) => part !== '')
      .join(' '),
  }
}

/** The fields have rows of their own, so the type need not spell them out. */
function outerType(schema: JsonSchema): string {
  return schema['items'] === undefined ? 'object' : 'object[]'
}

function hasInnerRows(schema: JsonSchema, root: JsonSchema): boolean {
  return innerRows('', schema, { root, prefix: '', depth: deepest - 2 }).length > 0
}

function innerRows(path: string, unresolved: unknown, place: Place): readonly ArgumentRow[] {
  const schema = followRef(unresolved, place.root)
  if (schema === undefined) return []
  const isList = isSchemaObject(schema['items'])
  const prefix = isList ? `${path}[].` : `${path}.`
  return fieldsOf(isList ? schema['items'] : schema, { ...place, prefix, depth: place.depth + 1 })
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
