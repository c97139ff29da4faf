import type { JsonValue } from '../json.ts'
import { maskEntry } from '../policy/secrets.ts'
import { canonicalJson } from './canonical-json.ts'
import type { RawEntry } from './types.ts'

/** One line for each field that differs, such as `args: ["-y","a"] → ["-y","b"]`; literal secrets are masked. */
export function describeChange(before: RawEntry, after: RawEntry): readonly string[] {
  const [old, fresh] = [flatten(before), flatten(after)]
  const [oldShown, freshShown] = [flatten(maskEntry(before)), flatten(maskEntry(after))]
  const fields = [...new Set([...old.keys(), ...fresh.keys()])]
  return fields.flatMap((field) => {
    if (isSame(old.get(field), fresh.get(field))) return []
    if (!old.has(field)) return [`${field}: added ${show(freshShown.get(field))}`]
    if (!fresh.has(field)) return [`${field}: removed, was ${show(oldShown.get(field))}`]
    const [was, is] = [show(oldShown.get(field)), show(freshShown.get(field))]
    return [
      was === is ? `${field}: ${was} → another value that looks the same when masked` : `${field}: ${was} → ${is}`,
    ]
  })
}

/** Members of `env`, `headers`, `tools` and the like count one by one; lists count as a whole, because their order matters. */
function flatten(entry: RawEntry): ReadonlyMap<string, JsonValue> {
  return new Map(
    Object.entries(entry).flatMap(([field, value]): readonly (readonly [string, JsonValue])[] =>
      isObject(value) ? Object.entries(value).map(([key, inner]) => [`${field}.${key}`, inner]) : [[field, value]],
    ),
  )
}

function isSame(left: JsonValue | undefined, right: JsonValue | undefined): boolean {
  return left !== undefined && right !== undefined && canonicalJson(left) === canonicalJson(right)
}

function show(value: JsonValue | undefined): string {
  return typeof value === 'string' && !/[\s"→]|^$/.test(value) ? value : JSON.stringify(value)
}

function isObject(value: JsonValue): value is { readonly [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0
}
