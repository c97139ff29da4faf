import type { JsonSchema } from '../api.ts'

/** Whether a value is a schema written as an object, which nearly all are; `true` and `false` are schemas as well. */
export function isSchemaObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * What a `$ref` points at inside its own document, or undefined. A reference to another document is never fetched: the
 * protocol forbids it, because a server could make its clients call any address.
 */
export function lookUpRef(ref: string, root: JsonSchema): unknown {
  if (ref === '#' || ref === '') return root
  if (!ref.startsWith('#/')) return undefined
  let at: unknown = root
  for (const step of ref.slice(2).split('/')) {
    if (typeof at !== 'object' || at === null) return undefined
    at = Object.entries(at).find(([key]) => key === unescapeStep(step))?.[1]
  }
  return at
}

/** A schema with its own `$ref` followed; what stands beside the `$ref` wins. Undefined when it leads nowhere. */
export function followRef(schema: unknown, root: JsonSchema): JsonSchema | undefined {
  let found = schema
  for (let hops = 0; hops < 16; hops++) {
    if (!isSchemaObject(found)) return undefined
    const { $ref: ref, ...beside } = found
    if (typeof ref !== 'string') return found
    const target = lookUpRef(ref, root)
    if (!isSchemaObject(target)) return undefined
    found = { ...target, ...beside }
  }
  return undefined
}

function unescapeStep(step: string): string {
  return decoded(step).replaceAll('~1', '/').replaceAll('~0', '~')
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step)
  } catch {
    // A stray percent sign is meant as it stands.
    return step
  }
}
