import { CapstanError } from '../errors.ts'
import { kindOf } from './fields.ts'
import type { TablePlace } from './prompt-settings.ts'
import type { GatewayKey, GatewayProfile, GatewaySettings } from './types.ts'

/** Reads `[gateway]`. Unknown keys are left out with a warning. */
export function readGatewaySettings(value: unknown, place: TablePlace): GatewaySettings {
  return readTable(value, { path: 'gateway', readers: gatewayReaders, place })
}

interface Table {
  readonly path: string
  readonly readers: Readonly<Record<string, Reader>>
  readonly place: TablePlace
}

type Reader = (value: unknown, path: string, place: TablePlace) => object

const modes = ['auto', 'all', 'meta', 'code'] as const

const profileReaders: Readonly<Record<string, Reader>> = {
  servers: (value, path, place) => ({ servers: texts(value, path, place) }),
  tools: (value, path, place) => ({ tools: texts(value, path, place) }),
  deny: (value, path, place) => ({ deny: texts(value, path, place) }),
  ask: (value, path, place) => ({ ask: texts(value, path, place) }),
  mode: (value, path, place) => ({ mode: oneOf(modes, value, { path, place }) }),
}

const keyReaders: Readonly<Record<string, Reader>> = {
  ...profileReaders,
  profile: (value, path, place) => ({ profile: text(value, path, place) }),
  token_file: (value, path, place) => ({ tokenFile: text(value, path, place) }),
  token_sha256: (value, path, place) => ({ tokenSha256: digest(value, path, place) }),
}

const gatewayReaders: Readonly<Record<string, Reader>> = {
  ...profileReaders,
  pins: (value, path, place) => ({ pins: oneOf(['warn', 'hold', 'off'] as const, value, { path, place }) }),
  prefix: (value, path, place) => ({ prefix: flag(value, path, place) }),
  hosts: (value, path, place) => ({ hosts: texts(value, path, place) }),
  origins: (value, path, place) => ({ origins: texts(value, path, place) }),
  audit_arguments: (value, path, place) => ({ auditArguments: flag(value, path, place) }),
  requests_per_minute: (value, path, place) => ({ requestsPerMinute: count(value, path, place) }),
  body_bytes: (value, path, place) => ({ bodyBytes: count(value, path, place) }),
  profiles: (value, path, place) => ({
    profiles: named<GatewayProfile>(value, path, { place, readers: profileReaders }),
  }),
  keys: (value, path, place) => ({ keys: named<GatewayKey>(value, path, { place, readers: keyReaders }) }),
}

function readTable(value: unknown, { path, readers, place }: Table): object {
  if (!isTable(value)) throw wrong(path, 'a table', { value, place })
  const read = Object.entries(value).map(([key, item]) => {
    const reader = Object.hasOwn(readers, key) ? readers[key] : undefined
    if (reader === undefined) place.warn(tokenHint(path, key))
    return reader?.(item, `${path}.${key}`, place) ?? {}
  })
  return Object.assign({}, ...read) as object
}

function tokenHint(path: string, key: string): string {
  return key === 'token'
    ? `"${path}.token" is not read, so that no token stands in a file: use token_file or token_sha256`
    : `"${path}.${key}" is not a setting`
}

function named<Entry>(
  value: unknown,
  path: string,
  { readers, place }: Omit<Table, 'path'>,
): Readonly<Record<string, Entry>> {
  if (!isTable(value)) throw wrong(path, 'a table of tables', { value, place })
  const entries = Object.entries(value).map(([name, item]) => [
    name,
    readTable(item, { path: `${path}.${name}`, readers, place }),
  ])
  return Object.fromEntries(entries) as Readonly<Record<string, Entry>>
}

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function text(value: unknown, path: string, place: TablePlace): string {
  if (typeof value !== 'string' || value.trim() === '') throw wrong(path, 'a text', { value, place })
  return value
}

function texts(value: unknown, path: string, place: TablePlace): readonly string[] {
  if (!Array.isArray(value)) throw wrong(path, 'a list of texts', { value, place })
  return value.map((item: unknown, index) => text(item, `${path}[${index}]`, place))
}

function flag(value: unknown, path: string, place: TablePlace): boolean {
  if (typeof value !== 'boolean') throw wrong(path, 'true or false', { value, place })
  return value
}

function count(value: unknown, path: string, place: TablePlace): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return value
  throw wrong(path, 'a whole number above 0', { value, place })
}

function digest(value: unknown, path: string, place: TablePlace): string {
  if (typeof value === 'string' && /^[0-9a-f]{64}$/i.test(value)) return value.toLowerCase()
  throw wrong(path, 'a SHA-256 in 64 hex digits', { value, place })
}

function oneOf<Word extends string>(
  words: readonly Word[],
  value: unknown,
  { path, place }: { readonly path: string; readonly place: TablePlace },
): Word {
  const found = words.find((word) => word === value)
  if (found === undefined) throw wrong(path, `one of ${words.join(', ')}`, { value, place })
  return found
}

function wrong(
  path: string,
  wanted: string,
  { value, place }: { readonly value: unknown; readonly place: TablePlace },
): CapstanError {
  const came = typeof value === 'string' ? JSON.stringify(value) : kindOf(value)
  return new CapstanError('config_bad_type', `${place.file}: ${path} must be ${wanted}, but is ${came}.`, {
    next: `Correct ${path} in ${place.file}, or remove it to get the default.`,
  })
}
