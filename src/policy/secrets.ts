import type { JsonObject, JsonValue } from '../json.ts'
import { secretSpans } from './secret-text.ts'

/** Where a literal secret stands in an entry, and what it is called there. */
export interface SecretSpot {
  readonly field: string
  /** The name it goes by: the variable, header, flag, URL parameter, or path of keys. */
  readonly label: string
  readonly value: string
}

type Replace = (spot: SecretSpot) => string

/** Whether a value holds a literal secret, judged by the value itself and by the name it stands under. */
export function looksSecret(name: string, value: string): boolean {
  return secretSpans(name, value).length > 0
}

/** At most the first four characters, and none of a short value: enough to tell which token it is. */
export function maskSecret(value: string): string {
  return value.length < 16 ? '****' : `${value.slice(0, 4)}****`
}

/** The entry with every literal secret masked; `${…}` stays as it is. */
export function maskEntry(entry: JsonObject): JsonObject {
  return replaceSecrets(entry, (spot) => maskSecret(spot.value))
}

/** Every literal secret of an entry, in the order of its fields. */
export function findSecrets(entry: JsonObject): readonly SecretSpot[] {
  const spots: SecretSpot[] = []
  replaceSecrets(entry, (spot) => {
    spots.push(spot)
    return spot.value
  })
  return spots
}

/** The entry with each literal secret replaced by what `replace` returns for it. */
export function replaceSecrets(entry: JsonObject, replace: Replace): JsonObject {
  return Object.fromEntries(
    Object.entries(entry).map(([field, value]) => [
      field,
      field === 'args' && Array.isArray(value)
        ? replaceInArguments(value, replace)
        : replaceInValue(value, { field, names: [field] }, replace),
    ]),
  )
}

function replaceInValue(
  value: JsonValue,
  at: { field: string; names: readonly string[] },
  replace: Replace,
): JsonValue {
  if (typeof value === 'string') return replaceInText(value, { field: at.field, name: at.names.at(-1) ?? '' }, replace)
  if (isList(value)) return value.map((item) => replaceInValue(item, at, replace))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      replaceInValue(item, { field: at.field, names: [...at.names, name] }, replace),
    ]),
  )
}

/** An argument's name is the flag before it (`--api-key X`) or its own start (`--api-key=X`, `NAME=X`, `Header: X`). */
function replaceInArguments(args: readonly JsonValue[], replace: Replace): readonly JsonValue[] {
  return args.map((arg, index) => {
    if (typeof arg !== 'string') return arg
    const named = /^(-{0,2}[A-Za-z][\w.-]*)(=|:\s*(?![\s/\\]))(.+)$/s.exec(arg)
    if (named !== null) {
      const [, name = '', separator = '', value = ''] = named
      return `${name}${separator}${replaceInText(value, { field: 'args', name }, replace)}`
    }
    const before = args[index - 1]
    const flag = typeof before === 'string' && /^--?[A-Za-z][\w-]*$/.test(before) && !arg.startsWith('-') ? before : ''
    return replaceInText(arg, { field: 'args', name: flag }, replace)
  })
}

function replaceInText(text: string, at: { field: string; name: string }, replace: Replace): string {
  return secretSpans(at.name, text).reduceRight((changed, span) => {
    const spot = {
      field: at.field,
      label: span.label ?? (at.name || at.field),
      value: text.slice(span.start, span.end),
    }
    return changed.slice(0, span.start) + replace(spot) + changed.slice(span.end)
  }, text)
}

// Array.isArray alone does not narrow a readonly array.
function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value)
}
