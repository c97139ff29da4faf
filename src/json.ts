/** What JSON can say. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue }
export type JsonObject = { readonly [key: string]: JsonValue }

/** Whether a value that came as JSON is an object, and not a list or nothing. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The object that a text is the JSON of, if it is. */
export function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/**
 * How deep JSON may nest that passes through us. It is walked by functions that call themselves, `JSON.stringify` among them, and
 * some thousand levels take them down; `JSON.parse` does not mind.
 */
export const mostLevels = 500

/** Whether a value nests deeper than it may. */
export function isTooDeep(value: object): boolean {
  return nestsDeeper(value, mostLevels)
}

function nestsDeeper(value: object, left: number): boolean {
  if (left === 0) return true
  // Lists by number and objects by key: the values as a list of their own would cost twice as much.
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value
    for (let at = 0; at < items.length; at++) if (isDeeper(items[at], left)) return true
    return false
  }
  const fields = value as Readonly<Record<string, unknown>>
  for (const key in fields) if (isDeeper(fields[key], left)) return true
  return false
}

function isDeeper(item: unknown, left: number): boolean {
  return typeof item === 'object' && item !== null && nestsDeeper(item, left - 1)
}

/** How deep a value nests that came as JSON. Level by level, because it may be any number of them. */
export function levelsOf(value: object): number {
  let level: readonly object[] = [value]
  let count = 0
  for (; level.length > 0; count++) {
    level = level.flatMap((item) => Object.values(item).filter((field) => typeof field === 'object' && field !== null))
  }
  return count
}
