import { delimiter, join, resolve } from 'node:path'
import { readServerFile } from '../config/edit.ts'
import { findProject } from '../config/project.ts'
import type { RawEntry } from '../config/types.ts'
import { CapstanError } from '../errors.ts'
import { homeFolder, places } from '../files/places.ts'
import { closest } from '../hub/catalogue/names.ts'
import type { CommandContext, Io } from './command.ts'

type Surface = Pick<CommandContext, 'io' | 'flags'>

/** The `mcp.json` files in force, and where a new entry goes. */
export interface ServerFiles {
  /** Where a person's own new entries go. */
  readonly user: string
  /** Where new entries of the project go, whether or not the file exists. */
  readonly project: string
  /** The files that are read here, weakest first; some may not exist. */
  readonly inForce: readonly string[]
}

/** A server as it stands in a file. */
export interface PlacedServer {
  readonly name: string
  readonly file: string
  readonly entry: RawEntry
}

export async function serverFiles({ io, flags }: Surface): Promise<ServerFiles> {
  const found = await findProject(io.cwd, homeFolder(io.env))
  const project = found.file ?? join(found.root, '.mcp.json')
  const named = flags.config.length > 0 ? flags.config : configVariable(io)
  const [first, ...others] = named.map((file) => resolve(io.cwd, file))
  if (first !== undefined) return { user: first, project, inForce: [first, ...others] }
  const user = userServerFile(io)
  return { user, project, inForce: [user, project] }
}

/** The user's own `mcp.json`, whatever the flags say. */
export function userServerFile(io: Pick<Io, 'env'>): string {
  return join(places(io.env).config, 'mcp.json')
}

/**
 * Where each of these servers stands: in the strongest file that has it, or with `project` in the project's. Those in `unwritten`
 * are there without standing in any file; what is to be said about them goes to the person's own.
 */
export async function locateServers(
  surface: Surface,
  names: readonly string[],
  { project, unwritten = [] }: { readonly project: boolean; readonly unwritten?: readonly string[] },
): Promise<readonly PlacedServer[]> {
  const files = await serverFiles(surface)
  const searched = project ? [files.project] : files.inForce
  const placed = new Map((await Promise.all(searched.map(serversOf))).flat().map((server) => [server.name, server]))
  const inNoFile = (name: string) => ({ name, file: project ? files.project : files.user, entry: {} })
  return [...new Set(names)].map(
    (name) =>
      placed.get(name) ??
      (unwritten.includes(name) ? inNoFile(name) : unknownServer(name, [...placed.keys(), ...unwritten], searched)),
  )
}

async function serversOf(file: string): Promise<readonly PlacedServer[]> {
  return [...(await readServerFile(file))].map(([name, entry]) => ({ name, file, entry }))
}

function unknownServer(name: string, known: readonly string[], searched: readonly string[]): never {
  const where = searched.join(' or ')
  throw new CapstanError('server_unknown', `There is no server "${name}" in ${where}.${closest(name, known)}`, {
    server: name,
    next: 'Run: capstan config',
  })
}

function configVariable(io: Io): readonly string[] {
  return (io.env['CAPSTAN_CONFIG'] ?? '').split(delimiter).filter((path) => path !== '')
}
