import { CapstanError } from '../errors.ts'
import { kindOf } from './fields.ts'
import type { TablePlace } from './prompt-settings.ts'
import type { ModelSettings } from './types.ts'

/** Reads `[model]`. Unknown keys are left out with a warning; keys themselves do not belong into a file. */
export function readModelSettings(value: unknown, place: TablePlace): ModelSettings {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong('model', 'a table', value, place)
  const known = Object.entries(value).filter(([key]) => isKnown(key, place))
  return Object.assign({}, ...known.map(([key, item]) => readers[key]?.(item, key, place)))
}

type Reader = (value: unknown, key: string, place: TablePlace) => ModelSettings

const readers: Readonly<Record<string, Reader>> = {
  name: (...given) => ({ name: text(...given) }),
  url: (...given) => ({ url: address(...given) }),
  key_command: (...given) => ({ keyCommand: text(...given) }),
  context: (value, key, place) => ({ contextTokens: number(value, { key, place, least: 1000, most: 100_000_000 }) }),
  tools: (...given) => ({ tools: dialect(...given) }),
  inline_percent: (value, key, place) => ({ inlinePercent: number(value, { key, place, least: 0, most: 100 }) }),
}

function isKnown(key: string, { warn }: TablePlace): boolean {
  if (Object.hasOwn(readers, key)) return true
  const isKey = /^(?:api_?)?key$/i.test(key)
  warn(
    isKey
      ? `"model.${key}" is not read, so that no key stands in a file: use key_command`
      : `"model.${key}" is not a setting`,
  )
  return false
}

function text(value: unknown, key: string, place: TablePlace): string {
  if (typeof value !== 'string' || value.trim() === '') throw wrong(`model.${key}`, 'a text', value, place)
  return value
}

function address(value: unknown, key: string, place: TablePlace): string {
  const isAddress = typeof value === 'string' && /^https?:\/\//.test(value) && URL.canParse(value)
  if (!isAddress) throw wrong(`model.${key}`, 'an address that begins with http:// or https://', value, place)
  return value.replace(/\/+$/, '')
}

function dialect(value: unknown, key: string, place: TablePlace): 'native' | 'xml' {
  if (value !== 'native' && value !== 'xml') throw wrong(`model.${key}`, '"native" or "xml"', value, place)
  return value
}

interface NumberPlace {
  readonly key: string
  readonly place: TablePlace
  readonly least: number
  readonly most: number
}

function number(value: unknown, { key, place, least, most }: NumberPlace): number {
  if (typeof value === 'number' && value >= least && value <= most) return value
  throw wrong(`model.${key}`, `a number from ${least} to ${most}`, value, place)
}

function wrong(path: string, wanted: string, value: unknown, { file }: TablePlace): CapstanError {
  return new CapstanError('config_bad_type', `${file}: ${path} must be ${wanted}, but is ${kindOf(value)}.`, {
    next: `Correct ${path} in ${file}, or remove it to get the default.`,
  })
}
