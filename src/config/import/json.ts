import { isObject, type JsonObject, type JsonValue } from '../../json.ts'

export function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value)
}

export function strings(value: JsonValue | undefined): readonly string[] {
  return isList(value) ? value.filter((item) => typeof item === 'string') : []
}

export function text(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** The object without the fields that are undefined. */
export function defined(fields: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  const kept: [string, JsonValue][] = []
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) kept.push([name, value])
  return Object.fromEntries(kept)
}

export function without(object: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)))
}

/** The same value with every string in it, but no key, passed through `change`. */
export function mapStrings(value: JsonValue, change: (text: string) => string): JsonValue {
  if (typeof value === 'string') return change(value)
  if (isList(value)) return value.map((item) => mapStrings(item, change))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, mapStrings(item, change)]))
}
