import { canonicalJson } from '../canonical-json.ts'
import { clients, type ClientId } from '../import/clients.ts'
import type { RawEntry } from '../types.ts'
import { readExact } from './client-text.ts'
import type { Connection, MovedServer } from './connections.ts'
import { editDocument, rawServer, readDocument, type RawEdit } from './edit-document.ts'
import { isOurs } from './plan-connect.ts'
import { hashOf } from './write-client-file.ts'
import { isObject, type JsonObject } from '../../json.ts'

/** What would become of one file that was connected. */
export interface DisconnectPlan {
  readonly connection: Connection
  readonly text: string | undefined
  /** Undefined where there will be no file. */
  readonly after: string | undefined
  /**
   * `exact`: byte for byte as it was. `edited`: others have changed the file, so only what is ours goes. `done`: nothing of ours
   * is in it. `shared`: another client reads the same file. `left`: a skill that a person has rewritten.
   */
  readonly how: 'exact' | 'edited' | 'done' | 'shared' | 'left'
  /** The entry that goes. */
  readonly removed?: string
  /** Servers that the client gets back. */
  readonly restored: readonly string[]
  readonly notRestored: readonly { readonly name: string; readonly reason: string }[]
  /** Servers that leave Capstan, because they came with this client. */
  readonly leaving: readonly MovedServer[]
  readonly kept: readonly { readonly name: string; readonly reason: string }[]
}

export interface DisconnectView {
  /** All connections of this person. */
  readonly connections: readonly Connection[]
  /** The clients that are disconnected together. */
  readonly clients: readonly ClientId[]
  /** What a file of Capstan holds. */
  readonly serversIn: (file: string) => Promise<ReadonlyMap<string, RawEntry>>
  /** Leave the moved servers in Capstan. */
  readonly keep: boolean
}

/** Plans how to take back what was done to one file. Nothing is written. */
export async function planDisconnect(connection: Connection, view: DisconnectView): Promise<DisconnectPlan> {
  const text = await readExact(connection.path)
  const file = await planFile(connection, text, view)
  return { connection, text, ...file, ...(await planServers(connection, file.after, view)) }
}

type FilePlan = Pick<DisconnectPlan, 'after' | 'how' | 'removed' | 'restored' | 'notRestored'>

async function planFile(
  connection: Connection,
  text: string | undefined,
  { connections }: DisconnectView,
): Promise<FilePlan> {
  const { before, entry, moved, path } = connection
  const untouched = { after: text, restored: [], notRestored: [] }
  const isShared = connections.some((other) => other.path === path && other.client !== connection.client)
  if (isShared) return { ...untouched, how: 'shared' }
  const hash = text === undefined ? undefined : hashOf(text)
  if (text === undefined || (before.kind === 'text' && before.hash === hash)) return { ...untouched, how: 'done' }
  if (hash === connection.after) {
    const original = await originalOf(connection)
    const removed = entry === undefined ? {} : { removed: entry.name }
    const restored = moved.map(({ name }) => name)
    if (original !== undefined) return { ...original, how: 'exact', ...removed, restored, notRestored: [] }
  }
  return connection.form === 'skill' ? { ...untouched, how: 'left' } : await planEdits(connection, text)
}

/** The file as it was; undefined where that is not known any more. */
async function originalOf({ before }: Connection): Promise<Pick<FilePlan, 'after'> | undefined> {
  if (before.kind === 'absent') return { after: undefined }
  if (before.kind === 'unknown') return undefined
  const after = await readExact(before.backup)
  return after === undefined || hashOf(after) !== before.hash ? undefined : { after }
}

async function planEdits(connection: Connection, text: string): Promise<FilePlan> {
  const { client, entry, replaced, moved } = connection
  const document = await readDocument(text, connection)
  const present = (name: string): JsonObject | undefined => objectOrNothing(rawServer(document, client, name))
  const ours = entry === undefined ? undefined : present(entry.name)
  const goes = entry !== undefined && ours !== undefined && isOurs(client)({ raw: ours })
  const isFree = (name: string): boolean => present(name) === undefined || (goes && name === entry.name)
  const back = [...replaced, ...moved]
  const returning = back.filter(({ name }) => isFree(name))
  const edits: readonly RawEdit[] = [
    ...(goes ? [{ kind: 'remove' as const, name: entry.name }] : []),
    ...returning.map(({ name, raw }) => ({ kind: 'put' as const, name, raw })),
  ]
  return {
    after: await editDocument(text, edits, connection),
    how: edits.length === 0 ? 'done' : 'edited',
    ...(goes ? { removed: entry.name } : {}),
    restored: returning.map(({ name }) => name),
    notRestored: back
      .filter(({ name, raw }) => !isFree(name) && canonicalJson(present(name)) !== canonicalJson(raw))
      .map(({ name }) => ({ name, reason: `${clients[client].title} has another server of that name now` })),
  }
}

type ServersPlan = Pick<DisconnectPlan, 'leaving' | 'kept'>

/** A server leaves Capstan only when the client has it again, nobody else came to need it, and nobody has changed it. */
async function planServers(
  connection: Connection,
  after: string | undefined,
  view: DisconnectView,
): Promise<ServersPlan> {
  const leaving: MovedServer[] = []
  const kept: { name: string; reason: string }[] = []
  const came = connection.moved.filter(({ written }) => written !== undefined)
  if (view.keep || came.length === 0) return { leaving, kept }
  const other = view.connections.find(({ client }) => !view.clients.includes(client))
  const document = await readDocument(after ?? '', connection)
  for (const server of came) {
    const { name, file } = server.to
    const entry = (await view.serversIn(file)).get(name)
    if (entry === undefined) continue
    const isBack = canonicalJson(rawServer(document, connection.client, server.name)) === canonicalJson(server.raw)
    if (!isBack) kept.push({ name, reason: `${clients[connection.client].title} does not have it` })
    else if (other !== undefined) kept.push({ name, reason: `${clients[other.client].title} uses Capstan too` })
    else if (canonicalJson(entry) !== canonicalJson(server.written)) kept.push({ name, reason: 'it was changed since' })
    else leaving.push(server)
  }
  return { leaving, kept }
}

function objectOrNothing(value: RawEntry[string] | undefined): JsonObject | undefined {
  return isObject(value) ? value : undefined
}
