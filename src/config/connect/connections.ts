import { join } from 'node:path'
import { CapstanError } from '../../errors.ts'
import { writeFileAtomic } from '../../files/atomic-write.ts'
import { withLock } from '../../files/lock.ts'
import { clientIds, type ClientId } from '../import/clients.ts'
import { isList } from '../import/json.ts'
import { readExact } from './client-text.ts'
import { isObject, type JsonObject, type JsonValue } from '../../json.ts'

/** What `connect` did to one file, kept until `disconnect` takes it back. */
export interface Connection {
  readonly client: ClientId
  readonly form: 'entry' | 'skill'
  readonly path: string
  readonly at: string
  readonly before: Before
  /** Hash of what we left. */
  readonly after: string
  /** Folders that did not exist, the outermost first. */
  readonly madeFolders: readonly string[]
  readonly entry?: RawServer
  /** Entries of ours that a person had written and that stood in the way. */
  readonly replaced: readonly RawServer[]
  readonly moved: readonly MovedServer[]
}

export type Before =
  | { readonly kind: 'absent' }
  | { readonly kind: 'text'; readonly hash: string; readonly backup: string }
  /** The file was changed by others while it was connected, so there is no text to go back to. */
  | { readonly kind: 'unknown' }

/** A server as the client's file has or had it. */
export interface RawServer {
  readonly name: string
  readonly raw: JsonObject
}

export interface MovedServer extends RawServer {
  /** Where it is now: the file and its name in it. */
  readonly to: { readonly file: string; readonly name: string }
  /** The entry that was written there; absent when it was there before. */
  readonly written?: JsonObject
}

export interface ConnectionStore {
  readonly connections: readonly Connection[]
  readonly save: (connections: readonly Connection[]) => Promise<void>
}

function connectionsFile(stateFolder: string): string {
  return join(stateFolder, 'connections.json')
}

/** Runs `change` with all connections, while nobody else connects or disconnects. */
export async function withConnections<T>(
  stateFolder: string,
  change: (store: ConnectionStore) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  const file = connectionsFile(stateFolder)
  return await withLock(
    file,
    async () =>
      await change({
        connections: await readConnections(stateFolder),
        save: async (connections) =>
          await writeFileAtomic(file, `${JSON.stringify({ version: 1, connections }, null, 2)}\n`, { mode: 0o600 }),
      }),
    { signal },
  )
}

export async function readConnections(stateFolder: string): Promise<readonly Connection[]> {
  const file = connectionsFile(stateFolder)
  const text = await readExact(file)
  if (text === undefined) return []
  const connections = connectionsIn(text)
  if (connections !== undefined) return connections
  throw new CapstanError('storage_failed', `${file} cannot be read, so it is not known which files were changed.`, {
    next: `Move it away and try again. The files as they were are in ${join(stateFolder, 'backups')}.`,
  })
}

function connectionsIn(text: string): readonly Connection[] | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const list = isObject(value) && value['version'] === 1 ? value['connections'] : undefined
    if (!isList(list)) return undefined
    const connections = list.map(connectionOf)
    return connections.every((connection) => connection !== undefined) ? connections : undefined
  } catch {
    return undefined // The caller says which file it is.
  }
}

function connectionOf(value: JsonValue): Connection | undefined {
  if (!isObject(value)) return undefined
  const { form, path, at, after } = value
  const client = clientIds.find((id) => id === value['client'])
  const before = beforeOf(value['before'])
  const madeFolders = listOf(value['madeFolders'], (item) => (typeof item === 'string' ? item : undefined))
  const replaced = listOf(value['replaced'], rawServerOf)
  const moved = listOf(value['moved'], movedServerOf)
  const entry = rawServerOf(value['entry'])
  if (client === undefined || before === undefined) return undefined
  if (madeFolders === undefined || replaced === undefined || moved === undefined) return undefined
  if (typeof path !== 'string' || typeof at !== 'string' || typeof after !== 'string') return undefined
  if (form !== 'entry' && form !== 'skill') return undefined
  const rest = entry === undefined ? {} : { entry }
  return { client, form, path, at, before, after, madeFolders, replaced, moved, ...rest }
}

function beforeOf(value: JsonValue | undefined): Before | undefined {
  if (!isObject(value)) return undefined
  const { kind, hash, backup } = value
  if (kind === 'absent' || kind === 'unknown') return { kind }
  return kind === 'text' && typeof hash === 'string' && typeof backup === 'string' ? { kind, hash, backup } : undefined
}

function rawServerOf(value: JsonValue | undefined): RawServer | undefined {
  if (!isObject(value)) return undefined
  const { name, raw } = value
  return typeof name === 'string' && isObject(raw) ? { name, raw } : undefined
}

function movedServerOf(value: JsonValue): MovedServer | undefined {
  const server = rawServerOf(value)
  const to = isObject(value) ? value['to'] : undefined
  const written = isObject(value) ? value['written'] : undefined
  if (server === undefined || !isObject(to)) return undefined
  const { file, name } = to
  if (typeof file !== 'string' || typeof name !== 'string') return undefined
  return { ...server, to: { file, name }, ...(isObject(written) ? { written } : {}) }
}

function listOf<Item>(
  value: JsonValue | undefined,
  read: (item: JsonValue) => Item | undefined,
): readonly Item[] | undefined {
  if (!isList(value)) return undefined
  const items = value.flatMap((item) => read(item) ?? [])
  return items.length === value.length ? items : undefined
}
