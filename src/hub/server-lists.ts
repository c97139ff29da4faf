import { CapstanError, messageOf, type ErrorJson } from '../errors.ts'
import type { HubEvent, JsonObject, ListKind } from './api.ts'
import { differenceOf, noLists, readList, type Lists } from './catalogue.ts'
import type { Connection, RequestOptions } from './connection.ts'
import { waitFor } from './wait-for.ts'

export interface Listing<Kind extends ListKind> {
  readonly entries: Lists[Kind]
  /** Why the last refresh failed; the entries are those of the time before. */
  readonly staleBecause?: CapstanError
}

export interface ListOptions {
  readonly signal?: AbortSignal | undefined
  /** Ask the server again: always, or only when the list at hand is left from before a failed refresh. */
  readonly fresh?: boolean | 'if-stale' | undefined
}

/** What a server offers, as it said last. */
export interface ServerLists {
  readonly list: <Kind extends ListKind>(kind: Kind, options: ListOptions) => Promise<Listing<Kind>>
  /** Brings a list up to date that the server says has changed, over the connection it said so on. */
  readonly refreshAfterChange: (kind: ListKind, live: Promise<Connection> | undefined) => Promise<void>
}

export interface ListsSetup {
  readonly name: string
  readonly limits: Pick<RequestOptions, 'idleMs' | 'maxMs'>
  readonly connection: (signal?: AbortSignal) => Promise<Connection>
  /** Which tools exist at all. */
  readonly toolExists: (tool: string) => boolean
  /** Keeps a list as it came, for those who want to look without asking. */
  readonly keepListing?: ((kind: ListKind, items: readonly JsonObject[]) => void) | undefined
  readonly note: (text: string) => void
  readonly emit: (event: HubEvent) => void
  readonly asExpected: (error: unknown) => CapstanError
}

/** Keeps the lists of one server: asked for when first wanted, again after a change or a new connection, and held through failures. */
export function serverLists(setup: ListsSetup): ServerLists {
  const { name, limits, connection, note, emit, asExpected } = setup
  const held: Partial<Record<ListKind, { readonly listing: Listing<ListKind>; readonly from: Connection }>> = {}
  const refreshing = new Map<ListKind, Promise<Listing<ListKind>>>()

  return { list, refreshAfterChange }

  async function list<Kind extends ListKind>(kind: Kind, options: ListOptions): Promise<Listing<Kind>> {
    const known = held[kind]
    try {
      const live = await connection(options.signal)
      if (known?.from === live && !wantsFresh(known.listing, options)) return known.listing as Listing<Kind>
      return (await waitFor(
        refresh(kind, live, options.fresh === true),
        options.signal,
        `${kind} of server "${name}"`,
      )) as Listing<Kind>
    } catch (error) {
      if (known === undefined) throw error
      return { entries: known.listing.entries as Lists[Kind], staleBecause: asExpected(error) }
    }
  }

  function refresh(kind: ListKind, live: Connection, fresh: boolean): Promise<Listing<ListKind>> {
    const running = refreshing.get(kind) ?? fetchList(kind, live, fresh).finally(() => refreshing.delete(kind))
    refreshing.set(kind, running)
    return running
  }

  async function fetchList(kind: ListKind, live: Connection, fresh: boolean): Promise<Listing<ListKind>> {
    const before = held[kind]?.listing
    const listing = await askForList(kind, live, fresh).catch((error: unknown): Listing<ListKind> => {
      if (before === undefined) throw error
      note(`The list of ${kind} could not be refreshed: ${messageOf(error)}`)
      return { entries: before.entries, staleBecause: asExpected(error) }
    })
    held[kind] = { listing, from: live }
    const difference = before && differenceOf(kind, before.entries, listing.entries)
    if (difference !== undefined) emit({ kind: 'catalogue', server: name, difference })
    return listing
  }

  async function askForList(kind: ListKind, live: Connection, fresh: boolean): Promise<Listing<ListKind>> {
    // What we have seen once and ask for again is wanted from the server itself, not from what others have seen.
    const items = await live.list(kind, { ...limits, fresh: fresh || held[kind] !== undefined })
    setup.keepListing?.(kind, items)
    const { entries, leftOut } = readList(kind, name, items)
    for (const reason of leftOut) note(`Left out of ${kind}, for ${reason}`)
    return {
      entries: kind === 'tools' ? (entries as Lists['tools']).filter((tool) => setup.toolExists(tool.tool)) : entries,
    }
  }

  async function refreshAfterChange(kind: ListKind, live: Promise<Connection> | undefined): Promise<void> {
    const underWay = refreshing.get(kind)
    // Nobody has asked for this list yet, so there is nothing to bring up to date.
    if ((held[kind] === undefined && underWay === undefined) || live === undefined) return
    try {
      // A listing that is on its way may be older than the change: ask again after it.
      await underWay
      await refresh(kind, await live, true)
    } catch (error) {
      note(`The list of ${kind} could not be refreshed: ${messageOf(error)}`)
    }
  }
}

function wantsFresh(listing: Listing<ListKind>, { fresh }: ListOptions): boolean {
  return fresh === true || (fresh === 'if-stale' && listing.staleBecause !== undefined)
}

/** All lists of one server, as one value with how it stands. A list that fails hides none of the others that hold something. */
export async function listsOf(
  server: Pick<ServerLists, 'list'>,
  options: ListOptions & { readonly kinds: readonly ListKind[] },
): Promise<{ readonly lists: Lists; readonly staleBecause?: ErrorJson }> {
  const answers = await Promise.all(options.kinds.map((kind) => listOrReason(server, kind, options)))
  const missing = answers.find(({ isMissing }) => isMissing)?.staleBecause
  if (missing !== undefined && answers.every(({ entries }) => entries.length === 0)) throw missing
  const failure = answers.find(({ staleBecause }) => staleBecause !== undefined)?.staleBecause
  return {
    lists: { ...noLists, ...Object.fromEntries(answers.map(({ kind, entries }) => [kind, entries])) },
    ...(failure === undefined ? {} : { staleBecause: failure.toJSON() }),
  }
}

async function listOrReason(server: Pick<ServerLists, 'list'>, kind: ListKind, options: ListOptions) {
  try {
    return { kind, isMissing: false, ...(await server.list(kind, options)) }
  } catch (error) {
    if (!(error instanceof CapstanError)) throw error
    return { kind, isMissing: true, entries: noLists[kind], staleBecause: error }
  }
}
