import type { Layer } from './types.ts'
import type { ClientFile, ClientId, ImportSurroundings } from './import/clients.ts'
import type { ListedServer } from './import/documents.ts'
import { findClients, type FoundFile } from './import/find-clients.ts'
import { translateEntry } from './import/translate.ts'
import { servesPromptLibrary, startsCapstan } from './self.ts'
import type { ServerFile } from './server-file.ts'
import { isServerName, slugOf } from './server-name.ts'
import { isObject } from '../json.ts'

/** A file of another client, read as one of ours. */
export interface ClientLayer {
  readonly path: string
  readonly layer: Layer
  readonly content: ServerFile
}

export interface ClientLayerOptions extends Omit<ImportSurroundings, 'cwd'> {
  /** Where a project's files may stand: its root, and the folder that the caller stands in. */
  readonly folders: readonly string[]
}

/** The servers that clients have in files of their own, the weakest file first. A file that is broken becomes a warning. */
export async function readClientLayers(
  clients: readonly ClientId[],
  { folders, ...surroundings }: ClientLayerOptions,
): Promise<readonly ClientLayer[]> {
  const found = await Promise.all([...new Set(folders)].map((cwd) => findClients({ ...surroundings, cwd }, clients)))
  const byPath = new Map(found.flatMap((files) => files.toReversed()).map((file) => [file.path, file]))
  return [...byPath.values()].map((file) => ({ path: file.path, layer: file.scope, content: contentOf(file) }))
}

function contentOf(file: FoundFile): ServerFile {
  const nothing = { inputs: [], warnings: [], entries: new Map() }
  if (file.kind === 'read') return { ...nothing, entries: new Map(file.servers.flatMap((one) => entryOf(file, one))) }
  const { message, line } = file.problem
  const place = line === undefined ? '' : ` in line ${line}`
  return { ...nothing, warnings: [`${file.path} is not used: ${message}${place}.`] }
}

/** What cannot be translated is kept as it is, to be refused by name; what would start Capstan itself is nobody's server. */
function entryOf(
  { client, scope }: ClientFile,
  { name, raw }: ListedServer,
): readonly [name: string, entry: unknown][] {
  const own = isServerName(name) ? name : slugOf(name)
  if (scope === 'project' && isObject(raw) && !['command', 'url', 'type'].some((field) => field in raw)) {
    // It only changes how a server of the person's own is used here; we know one such change.
    return raw['enabled'] === false ? [[own, { disabled: true }]] : []
  }
  const translated = translateEntry(client, raw)
  if (translated.kind === 'unusable') return [[own, raw]]
  const { entry } = translated
  return startsCapstan(entry) && !servesPromptLibrary(entry) ? [] : [[own, entry]]
}
