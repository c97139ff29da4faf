import { basename, join, resolve } from 'node:path'
import { homeFolder, places } from '../files/places.ts'
import type { LayerPlace } from './layer.ts'
import type { Prompt } from './prompt.ts'

export interface LayerOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  /** `--prompts-dir`: relative to the current folder, as everything on a command line. */
  readonly promptsDir?: string | undefined
  readonly currentFolder: string
  /** `[prompts]` of config.toml. */
  readonly settings?: {
    readonly dir?: string
    readonly extra?: readonly string[]
    readonly includeBuiltin?: boolean
  }
  readonly builtins: readonly Prompt[]
  /** Whether a copy of the built-in prompts is written for people to read; true when absent. */
  readonly keepsCopy?: boolean
  /** The project's root, given only when a person trusts the prompts of that project. */
  readonly projectRoot?: string | undefined
}

/** Where the layers of the library are kept, the weakest first: built-in, the user's, teams', the project's. */
export function promptLayers(options: LayerOptions): readonly LayerPlace[] {
  const { settings = {}, builtins, keepsCopy = true, projectRoot } = options
  const folder = promptsFolder(options)
  const teams = (settings.extra ?? []).map((path) => inHome(path, options.env))
  const names = teamNames(teams)
  return [
    ...(settings.includeBuiltin === false
      ? []
      : [
          {
            name: 'builtin',
            kind: 'builtin',
            file: join(folder, 'default.jsonl'),
            prompts: builtins,
            keepsCopy,
          } as const,
        ]),
    { name: 'user', kind: 'user', file: join(folder, 'user.jsonl') },
    ...teams.map(
      (team, index) => ({ name: names[index] ?? team, kind: 'team', file: join(team, sharedFile) }) as const,
    ),
    ...(projectRoot === undefined
      ? []
      : [{ name: 'project', kind: 'project', file: projectPromptsFile(projectRoot) } as const]),
  ]
}

/** The file of a project's prompts, whether or not it exists. */
export function projectPromptsFile(projectRoot: string): string {
  return join(projectRoot, '.capstan', 'prompts', sharedFile)
}

/** The user's folder: flag, then environment, then settings, then the XDG data folder. */
export function promptsFolder({ promptsDir, env, settings, currentFolder }: Omit<LayerOptions, 'builtins'>): string {
  if (promptsDir !== undefined && promptsDir !== '') return resolve(currentFolder, withHome(promptsDir, env))
  const named = env['CAPSTAN_PROMPTS_DIR'] || settings?.dir
  return named === undefined ? join(places(env).data, 'prompts') : inHome(named, env)
}

const sharedFile = 'prompts.jsonl'

function inHome(path: string, env: LayerOptions['env']): string {
  return resolve(homeFolder(env), withHome(path, env))
}

function withHome(path: string, env: LayerOptions['env']): string {
  return path === '~' || path.startsWith('~/') ? join(homeFolder(env), path.slice(1)) : path
}

/** Their folders' names; a number after one that is taken. */
function teamNames(folders: readonly string[]): readonly string[] {
  const names: string[] = []
  for (const folder of folders) {
    const name = basename(folder) || 'team'
    const isTaken = (wanted: string) => ['builtin', 'user', 'project', ...names].includes(wanted)
    let free = isTaken(name) ? `${name}-2` : name
    for (let number = 3; isTaken(free); number += 1) free = `${name}-${number}`
    names.push(free)
  }
  return names
}
