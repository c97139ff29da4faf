import type { JsonSchema } from '../../index.ts'

/** A schema whose outermost level every provider takes. The rest is as the server wrote it. */
export interface ObjectSchema {
  type: 'object'
  properties: Record<string, unknown>
  required?: string[]
  [keyword: string]: unknown
}

/**
 * The schema of a tool's arguments as providers take it: an object with properties. They refuse a whole request for one tool that
 * combines schemas at the outermost level, so these become one: all of their properties, and of the required ones those that every
 * choice wants. Nothing is let through by it, because the hub checks arguments against the schema as it was.
 */
export function objectSchema(original: JsonSchema): ObjectSchema {
  const flat = flatten(original, { root: original, depth: 0, budget: { left: 1000 } })
  const rest = Object.entries(original).filter(([keyword]) => !outermost.has(keyword))
  const required = flat.required.filter((name) => name in flat.properties)
  return {
    ...Object.fromEntries(rest),
    type: 'object',
    properties: flat.properties,
    ...(required.length === 0 ? {} : { required }),
  }
}

const outermost = new Set(
  '$schema $id $ref $anchor type properties required allOf anyOf oneOf not if then else enum const nullable'.split(' '),
)

interface Flat {
  readonly properties: Record<string, unknown>
  readonly required: string[]
}

interface Place {
  readonly root: JsonSchema
  readonly depth: number
  /** Schemas of strangers may refer to themselves, several times over: how many more are looked at. */
  readonly budget: { left: number }
}

const deepest = 8

function flatten(schema: unknown, place: Place): Flat {
  if (!isSchema(schema) || place.depth > deepest || place.budget.left-- <= 0) return { properties: {}, required: [] }
  const below = { ...place, depth: place.depth + 1 }
  const referred = typeof schema['$ref'] === 'string' ? [resolve(schema['$ref'], place.root)] : []
  const all = [...referred, ...listOf(schema['allOf'])].map((part) => flatten(part, below))
  const choices = [schema['anyOf'], schema['oneOf'], thenAndElse(schema)].map((options) =>
    anyOf(listOf(options).map((part) => flatten(part, below))),
  )
  const own: Flat = {
    properties: isSchema(schema['properties']) ? { ...schema['properties'] } : {},
    required: listOf(schema['required']).filter((name) => typeof name === 'string'),
  }
  const parts = [...choices, ...all]
  return {
    // What the schema itself says of a property is what its choices make narrower.
    properties: { ...joined(parts), ...own.properties },
    required: [...new Set([own, ...parts].flatMap((part) => part.required))],
  }
}

/** What is true of every choice is true. */
function anyOf(options: readonly Flat[]): Flat {
  const [first] = options
  if (first === undefined) return { properties: {}, required: [] }
  const common = first.required.filter((name) => options.every((option) => option.required.includes(name)))
  return { properties: joined(options), required: common }
}

function joined(parts: readonly Flat[]): Record<string, unknown> {
  const byName = new Map<string, unknown[]>()
  for (const { properties } of parts) {
    for (const [name, schema] of Object.entries(properties)) byName.set(name, [...(byName.get(name) ?? []), schema])
  }
  return Object.fromEntries([...byName].map(([name, schemas]) => [name, oneOfThem(schemas)]))
}

/** Where choices differ in a property, any of its schemas may do: providers take choices below the outermost level. */
function oneOfThem(schemas: readonly unknown[]): unknown {
  const different = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()]
  return different.length === 1 ? different[0] : { anyOf: different }
}

function thenAndElse(schema: JsonSchema): readonly unknown[] {
  // Without one of them anything goes where the condition is of the other kind.
  return 'if' in schema ? [schema['then'] ?? {}, schema['else'] ?? {}] : []
}

/** Only within the schema itself: nothing is fetched. */
function resolve(reference: string, root: JsonSchema): unknown {
  if (!reference.startsWith('#')) return undefined
  const steps = reference.slice(1).split('/').slice(1)
  return steps.reduce<unknown>((at, step) => {
    const name = decoded(step).replaceAll('~1', '/').replaceAll('~0', '~')
    return isSchema(at) && Object.hasOwn(at, name) ? at[name] : undefined
  }, root)
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step)
  } catch {
    // A reference that is badly written leads nowhere; the rest of the schema is good all the same.
    return step
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
