import { CapstanError } from '../errors.ts'
import { kindOf } from './fields.ts'
import type { Layer, PromptSettings } from './types.ts'

/** Where a table of settings stands, and whom to tell what is left out. */
export interface TablePlace {
  readonly file: string
  readonly layer: Layer
  readonly warn: (problem: string) => void
}

/** Reads `[prompts]`. Keys that are unknown, or that only the user may set, are left out with a warning. */
export function readPromptSettings(value: unknown, place: TablePlace): PromptSettings {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw wrong('prompts', 'a table', value, place)
  const allowed = Object.entries(value).filter(([key]) => isAllowed(key, place))
  return Object.assign({}, ...allowed.map(([key, item]) => readers[key]?.(item, key, place)))
}

type Reader = (value: unknown, key: string, place: TablePlace) => PromptSettings

const readers: Readonly<Record<string, Reader>> = {
  dir: (...given) => ({ dir: folder(...given) }),
  extra: (...given) => ({ extra: folders(...given) }),
  include_builtin: (...given) => ({ includeBuiltin: flag(...given) }),
  categories: (...given) => ({ categories: texts(...given) }),
  max_per_page: (...given) => ({ maxPerPage: count(...given) }),
  max_prompt_bytes: (...given) => ({ maxPromptBytes: count(...given) }),
  max_prompts: (...given) => ({ maxPrompts: count(...given) }),
}

/** A cloned project must not choose which of the user's folders are read and written, nor lift the limits. */
const userOnly = new Set(['dir', 'extra', 'max_prompt_bytes', 'max_prompts'])

function isAllowed(key: string, { layer, warn }: TablePlace): boolean {
  if (!Object.hasOwn(readers, key)) warn(`"prompts.${key}" is not a setting`)
  else if (layer === 'project' && userOnly.has(key)) warn(`a project may not set "prompts.${key}"`)
  else return true
  return false
}

function folder(value: unknown, key: string, place: TablePlace): string {
  if (typeof value !== 'string' || value.trim() === '') throw wrong(key, 'the path of a folder', value, place)
  return value
}

function folders(value: unknown, key: string, place: TablePlace): readonly string[] {
  if (!Array.isArray(value)) throw wrong(key, 'a list of folders', value, place)
  return value.map((item: unknown, index) => folder(item, `${key}[${index}]`, place))
}

function flag(value: unknown, key: string, place: TablePlace): boolean {
  if (typeof value !== 'boolean') throw wrong(key, 'true or false', value, place)
  return value
}

function texts(value: unknown, key: string, place: TablePlace): readonly string[] {
  const isTexts = Array.isArray(value) && value.every((item) => typeof item === 'string' && item.trim() !== '')
  if (!isTexts) throw wrong(key, 'a list of tags', value, place)
  return value.map(String)
}

function count(value: unknown, key: string, place: TablePlace): number {
  const isCount = typeof value === 'number' && Number.isSafeInteger(value) && value > 0
  if (!isCount) throw wrong(key, 'a whole number above 0', value, place)
  return value
}

function wrong(key: string, wanted: string, value: unknown, { file }: TablePlace): CapstanError {
  const path = key === 'prompts' ? key : `prompts.${key}`
  return new CapstanError('config_bad_type', `${file}: ${path} must be ${wanted}, but is ${kindOf(value)}.`, {
    next: `Correct ${path} in ${file}, or remove it to get the default.`,
  })
}
