import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { CapstanError, messageOf } from '../errors.ts'
import { places } from '../files/places.ts'
import type { Trust } from './standing.ts'
import type { Config, ConfiguredServer, OwnTool, RawEntry, Surroundings } from './types.ts'

/** The server that the person's own tools belong to. */
export const ownServer = 'my'

/** Adds the server of the person's own tools, where there are any and no entry has its name. */
export async function withOwnTools(
  config: Config,
  { trust, trustProject }: { readonly trust: Trust; readonly trustProject: boolean },
): Promise<Config> {
  const tools = await findOwnTools(config.surroundings, trust)
  const [first] = tools
  if (first === undefined) return config
  if (config.servers.some(({ name }) => name === ownServer)) {
    const warning = `The tools in ${folderOf(first)} are not used, because an entry has the name of their server, "${ownServer}". Rename the entry to use them.`
    return { ...config, warnings: [...config.warnings, warning] }
  }
  const server: ConfiguredServer = {
    name: ownServer,
    entry: { tools: tools.map(({ file }) => file) },
    origin: { layer: first.layer, file: folderOf(first) },
    standing: { kind: 'own', tools, trustProject },
  }
  return {
    ...config,
    servers: [...config.servers, server].toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    files: [...config.files, ...tools.map(({ file, layer }) => ({ path: file, layer }))],
  }
}

type Whereabouts = Pick<Surroundings, 'env' | 'workspaceFolder'>

/** The folders that own tools stand in, weakest first. */
export function ownToolFolders({ env, workspaceFolder }: Whereabouts): Readonly<Record<OwnTool['layer'], string>> {
  return { user: join(places(env).config, 'tools'), project: join(workspaceFolder, '.capstan', 'tools') }
}

/** What is approved of a tool: its code, so that a change of it asks again. */
export function ownToolEntry({ code }: Pick<OwnTool, 'code'>): RawEntry {
  return { code }
}

/** All own tools by name, the project's in place of the person's. Only files are read; nothing of them runs. */
export async function findOwnTools(surroundings: Whereabouts, trust: Trust): Promise<readonly OwnTool[]> {
  const folders = ownToolFolders(surroundings)
  const [user, project] = await Promise.all([
    readFolder(folders.user, 'user', () => 'trusted'),
    readFolder(folders.project, 'project', trust),
  ])
  const byName = new Map([...user, ...project].map((tool) => [tool.name, tool]))
  return [...byName.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

const endings = /\.(?:ts|mts|js|mjs)$/
// A folder with more than this is something else than tools, and each of them would be read at every start.
const mostFiles = 200

async function readFolder(folder: string, layer: OwnTool['layer'], trust: Trust): Promise<readonly OwnTool[]> {
  const names = await readdir(folder).catch(noFolder)
  const files = names.filter((name) => endings.test(name) && !/^\.|\.d\.m?ts$/.test(name)).toSorted()
  const read = await Promise.all(files.slice(0, mostFiles).map((name) => readTool(join(folder, name), layer, trust)))
  return [...Map.groupBy(read, (tool) => tool.name).values()].flatMap(onlyOne)
}

/** A folder that may not be looked into is as good as none. */
function noFolder(): readonly string[] {
  return []
}

async function readTool(file: string, layer: OwnTool['layer'], trust: Trust): Promise<OwnTool> {
  const name = basename(file).replace(endings, '')
  const language = file.endsWith('ts') ? 'ts' : 'js'
  try {
    assertName(name, file)
    const code = await readCode(file)
    const said = trust(folderOf({ file }), basename(file), ownToolEntry({ code }))
    const standing = said === 'trusted' ? ({ kind: 'usable' } as const) : ({ kind: 'untrusted', change: said } as const)
    return { name, file, layer, language, code, standing }
  } catch (error) {
    if (!(error instanceof CapstanError)) throw error
    return { name, file, layer, language, code: '', standing: { kind: 'invalid', error } }
  }
}

// `my__` and sixty more are the 64 characters that models take.
const longestName = 60

function assertName(name: string, file: string): void {
  if (/^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(name) && name.length <= longestName) return
  throw unusable(file, `"${name}" cannot be the name of a tool`, {
    next: `Rename the file: letters, digits, _ and -, at most ${longestName}.`,
  })
}

const mostBytes = 256 * 1024

async function readCode(file: string): Promise<string> {
  const found = await stat(file).catch((error: unknown) => cannotRead(file, error))
  // Reading a pipe would wait for somebody to write into it.
  if (!found.isFile()) throw unusable(file, 'it is no file', { next: 'Move it out of the folder.' })
  if (found.size > mostBytes) {
    throw unusable(file, `it is larger than ${mostBytes / 1024} KB`, { next: 'Let tools bring its data.' })
  }
  return readFile(file, 'utf8').catch((error: unknown) => cannotRead(file, error))
}

function cannotRead(file: string, cause: unknown): never {
  throw unusable(file, `it cannot be read (${messageOf(cause)})`, { cause, next: 'Check that you may read it.' })
}

function onlyOne([first, ...others]: readonly OwnTool[]): readonly OwnTool[] {
  if (first === undefined || others.length === 0) return first === undefined ? [] : [first]
  const names = [first, ...others].map(({ file }) => basename(file)).join(' and ')
  const error = unusable(first.file, `${names} have the same name`, { next: 'Keep one of them.' })
  return [{ ...first, code: '', standing: { kind: 'invalid', error } }]
}

function unusable(
  file: string,
  problem: string,
  details: { readonly next: string; readonly cause?: unknown },
): CapstanError {
  return new CapstanError('config_invalid', `The tool file ${file} is left out: ${problem}.`, {
    server: ownServer,
    ...details,
  })
}

function folderOf({ file }: Pick<OwnTool, 'file'>): string {
  return file.slice(0, -basename(file).length - 1)
}
