import type { Prompt } from '../prompt.ts'
import { isObject, type JsonObject } from '../../json.ts'

const carriable = ['name', 'title', 'description', 'arguments', 'tags', 'template', 'created', 'meta'] as const

/**
 * What a format has no place for, to be written beside it: the fields in which a plain reading of the file would differ from
 * the prompt. `null` stands for a field that the prompt does not have.
 */
export function fieldsToCarry(prompt: Prompt, plainly: Prompt | undefined): JsonObject | undefined {
  const different = carriable.filter((field) => JSON.stringify(prompt[field]) !== JSON.stringify(plainly?.[field]))
  if (different.length === 0) return undefined
  // The fields of a prompt are plain JSON, though their types do not say so.
  return JSON.parse(JSON.stringify(Object.fromEntries(different.map((field) => [field, prompt[field] ?? null]))))
}

/** Lays carried fields over what the file itself says. The result is unchecked, as files are. */
export function withCarried(plain: Readonly<Record<string, unknown>>, carried: JsonObject): Record<string, unknown> {
  const known = Object.entries(carried).filter(([field]) => carriable.some((name) => name === field))
  const all = new Map([...Object.entries(plain), ...known])
  return Object.fromEntries([...all].filter(([, value]) => value !== null))
}

/** Carried fields as front matter holds them: one text, because skills allow nothing else there. */
export function readCarried(fields: JsonObject): JsonObject {
  const metadata = fields['metadata']
  const text = isObject(metadata) ? metadata['capstan'] : undefined
  if (typeof text !== 'string') return {}
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

export function writeCarried(fields: JsonObject, carried: JsonObject | undefined): JsonObject {
  if (carried === undefined) return fields
  const metadata = isObject(fields['metadata']) ? fields['metadata'] : {}
  return { ...fields, metadata: { ...metadata, capstan: JSON.stringify(carried) } }
}

/** The front matter without what we carried in it. */
export function withoutCarried(fields: JsonObject): JsonObject {
  const { metadata, ...rest } = fields
  if (!isObject(metadata)) return fields
  const { capstan: _, ...others } = metadata
  return Object.keys(others).length === 0 ? rest : { ...rest, metadata: others }
}
