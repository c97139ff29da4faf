import { resolve } from 'node:path'
import { homeFolder } from '../files/places.ts'
import { mergeLayers, type LayerEntries } from './merge.ts'
import { defaultSettings } from './settings.ts'
import { judgeEntry } from './standing.ts'
import { readTrust, standingOf, trustFile } from './trust.ts'
import type { Config, RawEntry } from './types.ts'

type Entries = Readonly<Record<string, RawEntry>>

export interface LayeredOptions {
  /** What a program got from the person who uses it. */
  readonly user?: { readonly mcpServers: Entries } | undefined
  /** What it got from the project they work in: whoever wrote that may have named any command. */
  readonly project?: { readonly file: string; readonly mcpServers: Entries } | undefined
  /** The environment of the process when absent. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /** The project's folder; the current one when absent. */
  readonly cwd?: string | undefined
  /** Names of the project's servers that may run this time, though nobody has approved them for good. */
  readonly trustedOnce?: readonly string[]
}

/**
 * A config of two objects instead of files, for programs with options of their own: the project's entries replace the user's of the
 * same name, and are judged by what the person decided about them.
 */
export async function layeredConfig(options: LayeredOptions): Promise<Config> {
  const { user, project, env = process.env, cwd = process.cwd(), trustedOnce = [] } = options
  const folder = resolve(cwd)
  const layers: readonly LayerEntries[] = [
    { origin: { layer: 'user' }, entries: entriesOf(user) },
    { origin: { layer: 'project', file: resolve(folder, project?.file ?? '') }, entries: entriesOf(project) },
  ]
  const store = await readTrust(trustFile(env))
  const judged = mergeLayers(layers).map((merged) =>
    judgeEntry(merged, (file, name, entry) =>
      trustedOnce.includes(name) ? 'trusted' : standingOf(store, file, name, entry),
    ),
  )
  return {
    servers: judged.map(({ server }) => server),
    settings: defaultSettings,
    surroundings: { env, homeFolder: homeFolder(env), workspaceFolder: folder, currentFolder: folder },
    files: [],
    warnings: [...store.warnings, ...judged.flatMap(({ warnings }) => warnings)],
  }
}

function entriesOf(level: { readonly mcpServers: Entries } | undefined): ReadonlyMap<string, RawEntry> {
  return new Map(Object.entries(level?.mcpServers ?? {}))
}
