import type { JsonSchema } from '../api.ts'
import { isSchemaObject, lookUpRef } from './schema-ref.ts'

/** `compact` is for models, where every blank costs; `spaced` is for people. Both are valid TypeScript. */
export type Layout = 'compact' | 'spaced'

/** The TypeScript type of a JSON Schema. What TypeScript cannot say (patterns, ranges, `not`) is left out, never guessed. */
export function schemaType(schema: unknown, options: { root?: JsonSchema; layout?: Layout } = {}): string {
  const marks = layouts[options.layout ?? 'spaced']
  const root = options.root ?? (isSchemaObject(schema) ? schema : {})
  return typeOf(schema, { root, marks, refs: [], budget: { nodes: 400 } }).text
}

/** A property name as TypeScript writes it; `new(…)` unquoted would be a construct signature. */
export function propertyKey(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) && name !== 'new' ? name : JSON.stringify(name)
}

interface Marks {
  readonly open: string
  readonly close: string
  readonly colon: string
  readonly end: string
  readonly comma: string
  readonly or: string
  readonly and: string
}

const layouts: Readonly<Record<Layout, Marks>> = {
  compact: { open: '{', close: '}', colon: ':', end: ';', comma: ',', or: '|', and: '&' },
  spaced: { open: '{ ', close: ' }', colon: ': ', end: '; ', comma: ', ', or: ' | ', and: ' & ' },
}

interface Walk {
  readonly root: JsonSchema
  readonly marks: Marks
  /** The `$ref`s on the way here: meeting one again means the type is recursive. */
  readonly refs: readonly string[]
  /** References may be shared without being recursive, so the text can grow exponentially; this ends it. */
  readonly budget: { nodes: number }
}

interface Type {
  readonly text: string
  /** How tightly it holds together: decides where parentheses are needed. */
  readonly shape: 'union' | 'intersection' | 'single'
}

const unknownType: Type = { text: 'unknown', shape: 'single' }
const neverType: Type = { text: 'never', shape: 'single' }
const nullType: Type = { text: 'null', shape: 'single' }
const anyObject: Type = { text: 'Record<string,unknown>', shape: 'single' }

function typeOf(schema: unknown, walk: Walk): Type {
  if (schema === false) return neverType
  if (!isSchemaObject(schema) || walk.budget.nodes-- <= 0) return unknownType
  const type = typeof schema['$ref'] === 'string' ? refType(schema, schema['$ref'], walk) : ownType(schema, walk)
  return schema['nullable'] === true ? union([type, nullType], walk) : type
}

function refType(schema: JsonSchema, ref: string, walk: Walk): Type {
  if (walk.refs.includes(ref)) return unknownType
  const inner = { ...walk, refs: [...walk.refs, ref] }
  const { $ref: _, $defs: _defs, definitions: _definitions, ...beside } = schema
  return intersection([typeOf(lookUpRef(ref, walk.root), inner), ownType(beside, walk)], walk)
}

function ownType(schema: JsonSchema, walk: Walk): Type {
  if (schema['const'] !== undefined) return literals([schema['const']], walk)
  const values = schema['enum']
  if (Array.isArray(values)) return literals(values, walk)
  const alternatives = [schema['anyOf'], schema['oneOf']].filter((list) => Array.isArray(list))
  const parts = Array.isArray(schema['allOf']) ? schema['allOf'] : []
  return intersection(
    [
      baseType(schema, walk),
      ...parts.map((part) => typeOf(part, walk)),
      ...alternatives.map((list) =>
        union(
          list.map((member) => typeOf(member, walk)),
          walk,
        ),
      ),
    ],
    walk,
  )
}

const mostLiterals = 40

function literals(values: readonly unknown[], walk: Walk): Type {
  // JSON values are TypeScript types as they stand: numbers, strings, objects and arrays alike.
  if (values.length <= mostLiterals)
    return union(
      values.map((value) => single(JSON.stringify(value))),
      walk,
    )
  return union(
    values.map((value) => (value === null ? nullType : single(literalBase(value)))),
    walk,
  )
}

function literalBase(value: unknown): string {
  return typeof value === 'object' ? 'unknown' : typeof value
}

function baseType(schema: JsonSchema, walk: Walk): Type {
  const declared = schema['type']
  const names: readonly unknown[] = Array.isArray(declared) ? declared : [declared ?? impliedType(schema)]
  return union(
    names.map((name) => namedType(name, schema, walk)),
    walk,
  )
}

function impliedType(schema: JsonSchema): string | undefined {
  if (isSchemaObject(schema['properties']) || isSchemaObject(schema['additionalProperties'])) return 'object'
  return schema['items'] !== undefined || schema['prefixItems'] !== undefined ? 'array' : undefined
}

function namedType(name: unknown, schema: JsonSchema, walk: Walk): Type {
  switch (name) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
      return single(name)
    case 'integer':
      return single('number')
    case 'array':
      return arrayType(schema, walk)
    case 'object':
      return objectType(schema, walk)
    default:
      return unknownType
  }
}

function arrayType(schema: JsonSchema, walk: Walk): Type {
  const { prefixItems, items } = schema
  // Tuples are `prefixItems` since 2020-12 and a list in `items` before it.
  if (Array.isArray(prefixItems)) return tupleType(prefixItems, items, { schema, walk })
  if (Array.isArray(items)) return tupleType(items, schema['additionalItems'], { schema, walk })
  return listOf(typeOf(items, walk))
}

function tupleType(members: readonly unknown[], rest: unknown, at: { schema: JsonSchema; walk: Walk }): Type {
  const least = at.schema['minItems']
  const isOptional = (index: number): boolean => typeof least === 'number' && index >= least
  const texts = members.map((member, index) => {
    const type = typeOf(member, at.walk)
    return isOptional(index) ? `${wrapped(type)}?` : type.text
  })
  if (isSchemaObject(rest)) texts.push(`...${listOf(typeOf(rest, at.walk)).text}`)
  return single(`[${texts.join(at.walk.marks.comma)}]`)
}

function objectType(schema: JsonSchema, walk: Walk): Type {
  const properties = isSchemaObject(schema['properties']) ? schema['properties'] : undefined
  const required = requiredNames(schema)
  const names = [...new Set([...Object.keys(properties ?? {}), ...required])]
  const open = openPart(schema, walk)
  if (names.length === 0) return open ?? (properties === undefined && !isClosed(schema) ? anyObject : single('{}'))
  const fields = names.map(
    (name) =>
      `${propertyKey(name)}${required.includes(name) ? '' : '?'}${walk.marks.colon}${typeOf(properties?.[name], walk).text}`,
  )
  const own = single(`${walk.marks.open}${fields.join(walk.marks.end)}${walk.marks.close}`)
  return open === undefined ? own : intersection([own, open], walk)
}

/** What `additionalProperties` and `patternProperties` add; a bare `true` adds nothing worth saying. */
function openPart(schema: JsonSchema, walk: Walk): Type | undefined {
  const patterns = isSchemaObject(schema['patternProperties']) ? Object.values(schema['patternProperties']) : []
  const extra = schema['additionalProperties']
  const values = [...patterns, ...(isSchemaObject(extra) ? [extra] : [])]
  if (values.length === 0) return undefined
  return single(
    `Record<string,${
      union(
        values.map((value) => typeOf(value, walk)),
        walk,
      ).text
    }>`,
  )
}

function isClosed(schema: JsonSchema): boolean {
  return schema['additionalProperties'] === false
}

/** The names in `required`, whatever else a server put there. */
export function requiredNames(schema: JsonSchema): readonly string[] {
  const { required } = schema
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : []
}

function union(types: readonly Type[], walk: Walk): Type {
  const members = distinct(types.filter((type) => type.text !== 'never'))
  if (members.some((type) => type.text === 'unknown')) return unknownType
  if (members.length <= 1) return members[0] ?? neverType
  return { text: members.map((type) => type.text).join(walk.marks.or), shape: 'union' }
}

function intersection(types: readonly Type[], walk: Walk): Type {
  const said = distinct(types.filter((type) => type.text !== 'unknown'))
  const exact = said.filter((type) => !isBroad(type))
  const members = exact.length > 0 ? exact : said
  if (members.length <= 1) return members[0] ?? unknownType
  const texts = members.map((type) => (type.shape === 'union' ? `(${type.text})` : type.text))
  return { text: texts.join(walk.marks.and), shape: 'intersection' }
}

/** A bare `type` beside alternatives that say it better: `{type: string, oneOf: [const…]}`. */
function isBroad(type: Type): boolean {
  return type === anyObject || ['string', 'number', 'boolean', '{}'].includes(type.text)
}

function distinct(types: readonly Type[]): readonly Type[] {
  return [...new Map(types.map((type) => [type.text, type])).values()]
}

function listOf(type: Type): Type {
  return single(`${wrapped(type)}[]`)
}

function wrapped(type: Type): string {
  return type.shape === 'single' ? type.text : `(${type.text})`
}

function single(text: string): Type {
  return { text, shape: 'single' }
}
