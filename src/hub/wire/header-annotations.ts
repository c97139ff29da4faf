import type { JsonObject, JsonValue } from '../api.ts'
import { isObject } from '../../json.ts'

const annotation = 'x-mcp-header'
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const plainTypes = new Set<unknown>(['string', 'integer', 'boolean'])

/**
 * What is wrong with a tool's `x-mcp-header` annotations, if anything: over HTTP such a tool must not be offered (specification
 * 2026-07-28, Streamable HTTP). They may stand only on plain properties that are reached through `properties` alone, and each
 * header once.
 */
export function headerFault({ inputSchema }: JsonObject): string | undefined {
  const seen = new Set<string>()
  return faultIn(inputSchema, { isProperty: false, isReachable: true, seen })
}

interface Position {
  /** Whether this is the schema of a property. */
  readonly isProperty: boolean
  readonly isReachable: boolean
  readonly seen: Set<string>
}

function faultIn(schema: JsonValue | undefined, position: Position): string | undefined {
  if (Array.isArray(schema)) return firstFault(schema, { ...position, isProperty: false, isReachable: false })
  if (typeof schema !== 'object' || schema === null) return undefined
  const { properties, ...rest } = schema as JsonObject
  const own = annotation in rest ? faultOf(rest, position) : undefined
  const inside = { ...position, isProperty: true }
  return (
    own ??
    (isObject(properties) ? firstFault(Object.values(properties), inside) : undefined) ??
    firstFault(subschemas(rest), { ...position, isProperty: false, isReachable: false })
  )
}

/** Keywords that hold schemas; under the others, such as `default`, the same word is only data. */
const schemaKeywords =
  `items prefixItems contains additionalProperties unevaluatedProperties unevaluatedItems propertyNames
  patternProperties dependentSchemas oneOf anyOf allOf not if then else $defs definitions`.split(/\s+/)
const namedSchemas = new Set(['patternProperties', 'dependentSchemas', '$defs', 'definitions'])

function subschemas(schema: JsonObject): readonly JsonValue[] {
  return schemaKeywords.flatMap((keyword) => {
    const value = schema[keyword]
    if (value === undefined) return []
    return namedSchemas.has(keyword) && isObject(value) ? Object.values(value) : [value]
  })
}

function firstFault(schemas: readonly JsonValue[], position: Position): string | undefined {
  for (const schema of schemas) {
    const fault = faultIn(schema, position)
    if (fault !== undefined) return fault
  }
  return undefined
}

function faultOf(schema: JsonObject, { isProperty, isReachable, seen }: Position): string | undefined {
  const header = schema[annotation]
  if (!isProperty || !isReachable) return `"${annotation}" stands where it may not`
  if (typeof header !== 'string' || !token.test(header)) return `"${annotation}" is not the name of a header`
  if (!plainTypes.has(schema['type'])) return `"${annotation}" stands on a property that is no plain value`
  const name = header.toLowerCase()
  if (seen.has(name)) return `two properties want the header "${header}"`
  seen.add(name)
  return undefined
}
