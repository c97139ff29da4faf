import { join } from 'node:path'
import { CapstanError, messageOf } from '../errors.ts'
import { kindOf } from './fields.ts'
import { readGatewaySettings } from './gateway-settings.ts'
import { readModelSettings } from './model-settings.ts'
import { readPromptSettings, type TablePlace } from './prompt-settings.ts'
import type { ReadText } from './read-text.ts'
import type { Layer, Settings } from './types.ts'

export const defaultSettings: Settings = { catalogueSeconds: 10 }

/** How each key of `config.toml` is read. A key whose reader is missing here is unknown. */
const readers: Readonly<Record<string, (value: unknown, at: SettingPlace) => Partial<Settings>>> = {
  catalogue_seconds: (value, at) => ({ catalogueSeconds: seconds(value, at) }),
  prompts: (value, at) => ({ prompts: readPromptSettings(value, at) }),
  model: (value, at) => ({ model: readModelSettings(value, at) }),
  gateway: (value, at) => ({ gateway: readGatewaySettings(value, at) }),
}

/** What only the user may set: a cloned project must not name programs, addresses for keys to go to, or permissions. */
const userOnly = new Set(
  'allow always_allow command commands daemon deny gateway key keys model models permissions prompts_folder providers shell'.split(
    ' ',
  ),
)

interface SettingPlace extends TablePlace {
  readonly key: string
}

export interface LoadedSettings {
  readonly settings: Settings
  readonly files: readonly { readonly path: string; readonly layer: Layer }[]
  readonly warnings: readonly string[]
}

/** The user's `config.toml`, then the project's `.capstan/config.toml` over it. */
export async function loadSettings(
  folders: { readonly config: string; readonly project: string },
  readText: ReadText,
): Promise<LoadedSettings> {
  const [user, project] = await Promise.all([
    readSettings(join(folders.config, 'config.toml'), 'user', readText),
    readSettings(join(folders.project, '.capstan', 'config.toml'), 'project', readText),
  ])
  return {
    settings: { ...defaultSettings, ...user.values, ...project.values, ...mergedPrompts(user.values, project.values) },
    files: [...user.files, ...project.files],
    warnings: [...user.warnings, ...project.warnings],
  }
}

/** One file that the person has named, in place of the usual ones. */
export async function loadSettingsFile(path: string, readText: ReadText): Promise<LoadedSettings> {
  const { values, files, warnings } = await readSettings(path, 'user', readText)
  if (files.length === 0) {
    throw new CapstanError('config_invalid', `There is no settings file ${path}.`, { next: 'Check the path.' })
  }
  return { settings: { ...defaultSettings, ...values }, files, warnings }
}

/** Key by key: a project that sets one of them leaves the others to the user. */
function mergedPrompts(user: Partial<Settings>, project: Partial<Settings>): Pick<Settings, 'prompts'> {
  const isSet = user.prompts !== undefined || project.prompts !== undefined
  return isSet ? { prompts: { ...user.prompts, ...project.prompts } } : {}
}

interface SettingsFile {
  readonly values: Partial<Settings>
  readonly files: LoadedSettings['files']
  readonly warnings: readonly string[]
}

async function readSettings(path: string, layer: Layer, readText: ReadText): Promise<SettingsFile> {
  const text = await readText(path)
  if (text === undefined) return { values: {}, files: [], warnings: [] }
  const warnings: string[] = []
  const warn = (problem: string) => void warnings.push(`${path}: ${problem}; it is ignored.`)
  const values = Object.entries(await parseToml(text, path)).map(([key, value]) => {
    const problem = problemWith(key, layer)
    if (problem === undefined) return readers[key]?.(value, { file: path, layer, warn, key })
    warn(problem)
    return undefined
  })
  return { values: Object.assign({}, ...values), files: [{ path, layer }], warnings }
}

function problemWith(key: string, layer: Layer): string | undefined {
  if (layer === 'project' && userOnly.has(key)) return `a project may not set "${key}"`
  return Object.hasOwn(readers, key) ? undefined : `"${key}" is not a setting`
}

async function parseToml(text: string, file: string): Promise<Readonly<Record<string, unknown>>> {
  const { parse, TomlError } = await import('smol-toml')
  try {
    return parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    const reason = messageOf(error)
      .split('\n')[0]
      ?.replace(/^Invalid TOML document: /, '')
    throw new CapstanError('config_invalid', `${file}:${error.line}:${error.column}: ${reason}.`, {
      cause: error,
      next: `Open ${file} and mend line ${error.line}.`,
    })
  }
}

function seconds(value: unknown, { file, key }: SettingPlace): number {
  if (typeof value === 'number' && value > 0 && value <= 3600) return value
  const came = typeof value === 'bigint' ? `the number ${value}` : kindOf(value)
  throw new CapstanError(
    'config_bad_type',
    `${file}: ${key} must be a number of seconds, more than 0 and at most 3600, but is ${came}.`,
    { next: `Correct ${key} in ${file}, or remove it to get the default.` },
  )
}
