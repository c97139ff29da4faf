import { basename, delimiter, join, resolve } from 'node:path'
import { CapstanError } from '../errors.ts'
import { homeFolder, places } from '../files/places.ts'
import { adhocEntries, type Adhoc } from './adhoc.ts'
import { mergeLayers, type LayerEntries } from './merge.ts'
import { findProject, type Project } from './project.ts'
import { readTextFile, type ReadText } from './read-text.ts'
import { parseServerFile, type ServerFile } from './server-file.ts'
import { defaultSettings, loadSettings } from './settings.ts'
import { judgeEntry, type Trust } from './standing.ts'
import type { ClientId } from './import/clients.ts'
import type { Config, Layer, RawEntry } from './types.ts'

export type { Adhoc } from './adhoc.ts'
export type { Trust } from './standing.ts'

type Environment = Readonly<Record<string, string | undefined>>

export interface LoadOptions {
  readonly env: Environment
  readonly cwd: string
  /** Files named by the person: they replace the user's and the project's. A later one wins. */
  readonly configFiles?: readonly string[]
  /** Clients whose own files count as well, each after ours of the same layer; not where the person named files. */
  readonly clients?: readonly ClientId[]
  /** A server given on the command line: it replaces all files. */
  readonly adhoc?: Adhoc
  /** Servers that the caller brings along, as if given on the command line: each replaces one of the same name in a file. */
  readonly servers?: Readonly<Record<string, RawEntry>>
  readonly trust: Trust
  readonly readText?: ReadText
}

/** Reads the files, lays them over each other and judges every entry. Fails only where a whole file cannot be used. */
export async function loadConfig(options: LoadOptions): Promise<Config> {
  const { env, cwd, readText = readTextFile } = options
  const home = homeFolder(env)
  const project = await findProject(cwd, home)
  const [read, loaded] = await Promise.all([
    readLayers(options, { home, project, readText }),
    loadSettings({ config: places(env).config, project: project.root }, readText),
  ])
  const adhoc = adhocEntries(options.adhoc ?? {})
  const layers = adhoc === undefined ? read.map(layerOf) : [adhoc]
  const judged = mergeLayers([...layers, broughtAlong(options.servers)]).map((entry) =>
    judgeEntry(entry, options.trust),
  )
  return {
    servers: judged.map(({ server }) => server),
    settings: loaded.settings,
    surroundings: { env, homeFolder: home, workspaceFolder: project.root, currentFolder: resolve(cwd) },
    inputs: read.flatMap(({ content }) => content.inputs),
    files: [...read.map(({ path, layer }) => ({ path, layer })), ...loaded.files],
    warnings: [
      ...read.flatMap(({ content }) => content.warnings),
      ...judged.flatMap(({ warnings }) => warnings),
      ...loaded.warnings,
    ],
  }
}

function broughtAlong(servers: LoadOptions['servers'] = {}): LayerEntries {
  return { origin: { layer: 'command-line' }, entries: new Map(Object.entries(servers)) }
}

/** A config made by a program instead of files. Its entries count as the user's own. */
export function inlineConfig(
  mcpServers: Readonly<Record<string, RawEntry>>,
  { env = process.env, cwd = process.cwd() }: { readonly env?: Environment; readonly cwd?: string } = {},
): Config {
  const folder = resolve(cwd)
  const merged = mergeLayers([{ origin: { layer: 'user' }, entries: new Map(Object.entries(mcpServers)) }])
  const judged = merged.map((entry) => judgeEntry(entry, () => 'trusted'))
  return {
    servers: judged.map(({ server }) => server),
    settings: defaultSettings,
    surroundings: { env, homeFolder: homeFolder(env), workspaceFolder: folder, currentFolder: folder },
    files: [],
    warnings: judged.flatMap(({ warnings }) => warnings),
  }
}

interface FileToRead {
  readonly path: string
  readonly layer: Layer
  /** How the person named it; a file that Capstan looks for by itself may be missing. */
  readonly namedBy?: string
}

/** The files to read, weakest first. */
function serverFiles({ env, cwd, configFiles = [], adhoc }: LoadOptions, project: Project): readonly FileToRead[] {
  if (adhoc?.stdio !== undefined || adhoc?.url !== undefined) return []
  const named = (path: string, namedBy: string): FileToRead => ({ path: resolve(cwd, path), layer: 'user', namedBy })
  if (configFiles.length > 0) return configFiles.map((path) => named(path, '--config'))
  const listed = (env['CAPSTAN_CONFIG'] ?? '').split(delimiter).filter((path) => path !== '')
  if (listed.length > 0) return listed.map((path) => named(path, 'CAPSTAN_CONFIG'))
  const user: FileToRead = { path: join(places(env).config, 'mcp.json'), layer: 'user' }
  return project.file === undefined ? [user] : [user, { path: project.file, layer: 'project' }]
}

interface ReadingPlace {
  readonly home: string
  readonly project: Project
  readonly readText: ReadText
}

/** All files, the weakest first. */
async function readLayers(
  options: LoadOptions,
  { home, project, readText }: ReadingPlace,
): Promise<readonly ReadServerFile[]> {
  const { env, cwd, clients = [], adhoc } = options
  const own = await readServerFiles(serverFiles(options, project), readText)
  const isNamed = adhoc !== undefined || own.some(({ namedBy }) => namedBy !== undefined)
  if (clients.length === 0 || isNamed) return own
  const { readClientLayers } = await import('./client-layers.ts')
  const folders = [project.root, resolve(cwd)]
  const theirs = await readClientLayers(clients, { env, home, platform: process.platform, folders })
  const of = (layer: Layer) => [...own, ...theirs].filter((file) => file.layer === layer)
  return [...of('user'), ...of('project')]
}

interface ReadServerFile extends FileToRead {
  readonly content: ServerFile
}

async function readServerFiles(files: readonly FileToRead[], readText: ReadText): Promise<readonly ReadServerFile[]> {
  const read = await Promise.all(files.map((file) => readServerFile(file, readText)))
  return read.filter((file) => file !== undefined)
}

async function readServerFile(file: FileToRead, readText: ReadText): Promise<ReadServerFile | undefined> {
  const text = await readText(file.path)
  if (text !== undefined) return { ...file, content: await parseServerFile(text, file.path) }
  if (file.namedBy === undefined) return undefined
  throw new CapstanError('config_invalid', `${file.namedBy} names ${file.path}, which does not exist.`, {
    next: `Check the path, or create ${basename(file.path)} with {"mcpServers": {}} in it.`,
  })
}

function layerOf({ path, layer, content }: ReadServerFile): LayerEntries {
  return { origin: { layer, file: path }, entries: content.entries }
}
