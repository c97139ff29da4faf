import type { JsonSchema } from '../api.ts'
import { followRef } from './schema-ref.ts'

/** Everything that a schema names as a value, as it is typed: `3` for the number 3, `red` for the string. */
export function choicesOf(schema: JsonSchema | undefined, root: JsonSchema): readonly string[] {
  return namedValues(schema, root, 0).map((choice) => (typeof choice === 'string' ? choice : JSON.stringify(choice)))
}

/** Through alternatives, and for a list the values of its items. */
function namedValues(schema: JsonSchema | undefined, root: JsonSchema, depth: number): readonly unknown[] {
  if (schema === undefined || depth > 8) return []
  if (schema['const'] !== undefined) return [schema['const']]
  if (Array.isArray(schema['enum'])) return schema['enum']
  if (schema['type'] === 'boolean') return [true, false]
  const parts = [schema['anyOf'], schema['oneOf'], schema['allOf'], [schema['items']]]
  const inner = parts.flatMap((list) => (Array.isArray(list) ? list : []))
  return [...new Set(inner.flatMap((part) => namedValues(followRef(part, root), root, depth + 1)))]
}
