import { buildImportTable, type ImportRow, type ImportSource } from '../import/table.ts'
import { listServers, type ListedServer } from '../import/documents.ts'
import { planCopies, type PlannedCopy } from '../import/plan-copies.ts'
import { translateEntry } from '../import/translate.ts'
import { servesPromptLibrary, startsCapstan } from '../self.ts'
import type { RawEntry } from '../types.ts'
import { CapstanError } from '../../errors.ts'
import type { ClientId } from '../import/clients.ts'
import type { ClientText } from './client-text.ts'
import type { RawServer } from './connections.ts'
import { editDocument, rawServer, readDocument, type RawEdit } from './edit-document.ts'
import { isObject, type JsonObject } from '../../json.ts'

export interface ConnectWish {
  /** The entry in the client's words, given the entries that move to Capstan; absent where none is wanted. */
  readonly entry?: (moving: readonly RawEntry[]) => JsonObject
  readonly move: boolean
  /** What Capstan has already. */
  readonly known: ReadonlyMap<string, RawEntry>
  readonly env: Readonly<Record<string, string | undefined>>
}

/** What would become of one file of a client. */
export interface ConnectPlan extends ClientText {
  readonly form: 'entry' | 'skill'
  readonly after: string
  readonly entry?: RawServer
  readonly replaced: readonly RawServer[]
  readonly moves: readonly PlannedMove[]
  /** Servers of the client that could move, in its own names. */
  readonly movable: readonly string[]
  /** Servers that only this client can run, and why. */
  readonly staying: readonly { readonly name: string; readonly reason: string }[]
  /** Servers that the client keeps and that Capstan has as well. */
  readonly twice: readonly string[]
  /** The client's own rules keep it from using the entry. */
  readonly isSwitchedOff: boolean
}

export interface PlannedMove {
  /** As the client's file has it, under each name it has there. */
  readonly from: readonly RawServer[]
  readonly copy: PlannedCopy
}

/** Plans one file. Nothing is written. */
export async function planConnect(target: ClientText, wish: ConnectWish): Promise<ConnectPlan> {
  const { client, path, text = '' } = target
  const document = await readDocument(text, target)
  const listing = listServers(client, document)
  if (listing.problem !== undefined) {
    throw new CapstanError('config_invalid', `${path} ${listing.problem}. Nothing was changed.`, {
      next: `Mend ${path}, then try again.`,
    })
  }
  const servers = listing.servers.filter(({ project }) => project === undefined)
  const { movable, staying } = sortOut(target, servers, wish.env)
  const copies = planCopies(movable, wish.known, { rename: true })
  const moves = wish.move ? copies.map((copy) => ({ copy, from: rawSources(copy.row, document) })) : []
  const replaced = wish.entry === undefined ? [] : servers.filter(isOurs(client)).flatMap(rawOf(document, client))
  const raw = wish.entry?.(moves.map(({ copy }) => copy.row.entry))
  const entry = raw === undefined ? undefined : { name: entryName(replaced, servers), raw }
  const edits = editsFor(entry, [...replaced, ...moves.flatMap(({ from }) => from)])
  const after = await editDocument(text, edits, target)
  return {
    ...target,
    form: 'entry',
    after,
    ...(entry === undefined ? {} : { entry }),
    replaced,
    moves,
    movable: movable.flatMap((row) => row.sources.map(({ name }) => name)),
    staying,
    twice: wish.move ? [] : copies.filter(({ kind }) => kind === 'present').map(({ row }) => row.sources[0].name),
    isSwitchedOff: entry !== undefined && isOff(client, entry.name, await readDocument(after, target)),
  }
}

/** Whether an entry in a client's file is the way to Capstan: the server over its prompt library is not. */
export function isOurs(client: ClientId): (server: Pick<ListedServer, 'raw'>) => boolean {
  return ({ raw }) => {
    const result = translateEntry(client, raw)
    return result.kind === 'entry' && startsCapstan(result.entry) && !servesPromptLibrary(result.entry)
  }
}

function sortOut(
  { client, path }: ClientText,
  servers: readonly ListedServer[],
  env: ConnectWish['env'],
): { readonly movable: readonly ImportRow[]; readonly staying: ConnectPlan['staying'] } {
  const table = buildImportTable([{ client, path, scope: 'user', kind: 'read', servers }], { env })
  const judged = table.rows.map((row) => ({ row, reason: whyItStays(row) }))
  const notImportable = table.leftOut.filter(({ source }) => !isCapstan(source))
  return {
    movable: judged.filter(({ reason }) => reason === undefined).map(({ row }) => row),
    staying: [
      ...judged.flatMap(({ row, reason }) =>
        reason === undefined ? [] : row.sources.map(({ name }) => ({ name, reason })),
      ),
      ...notImportable.map(({ source, reason }) => ({ name: source.name, reason })),
    ],
  }

  function isCapstan({ name }: ImportSource): boolean {
    return servers.some((server) => server.name === name && isOurs(client)(server))
  }
}

/** Elsewhere it would not find what it needs. */
function whyItStays({ notes, entry }: ImportRow): string | undefined {
  // Only the client knows which folder a person has open in it.
  if (JSON.stringify(entry).includes('${workspaceFolder')) return 'it needs the folder that is open there'
  for (const note of notes) {
    if (note.kind === 'unknown-placeholder') return `it uses ${note.text}`
    if (note.kind === 'input') return `it asks for "${note.id}"`
    if (note.kind === 'env-file') return `it reads ${note.path}`
  }
  return undefined
}

function rawSources(row: ImportRow, document: JsonObject): readonly RawServer[] {
  return row.sources.flatMap(({ client, name }) => rawOf(document, client)({ name }))
}

function rawOf(document: JsonObject, client: ClientId): (server: { readonly name: string }) => readonly RawServer[] {
  return ({ name }) => {
    const raw = rawServer(document, client, name)
    return isObject(raw) ? [{ name, raw }] : []
  }
}

function entryName([first]: readonly RawServer[], servers: readonly ListedServer[]): string {
  if (first !== undefined) return first.name
  const taken = new Set(servers.map(({ name }) => name))
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? 'capstan' : `capstan-${number}`
    if (!taken.has(name)) return name
  }
}

function editsFor(entry: RawServer | undefined, gone: readonly RawServer[]): readonly RawEdit[] {
  const removals = gone
    .filter(({ name }) => name !== entry?.name)
    .map(({ name }) => ({ kind: 'remove' as const, name }))
  return [...(entry === undefined ? [] : [{ kind: 'put' as const, ...entry }]), ...removals]
}

/** Gemini CLI has lists of what it may use. */
function isOff(client: ClientId, name: string, document: JsonObject): boolean {
  const found = listServers(client, document).servers.find((server) => server.name === name)
  return isObject(found?.raw) && found.raw['disabled'] === true
}
