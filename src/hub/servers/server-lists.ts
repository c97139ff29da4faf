import { CapstanError, messageOf, type ErrorJson } from '../../errors.ts'
import type { HubEvent, JsonObject, ListKind } from '../api.ts'
import { differenceOf, noLists, readList, type Lists } from '../catalogue/catalogue.ts'
import type { RequestOptions } from '../wire/connection.ts'
import type { Lease } from './shared-server.ts'
import { waitFor } from '../wait-for.ts'

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
  /** Brings a list up to date that the server says has changed. */
  readonly refresh: (kind: ListKind) => Promise<void>
  /** Brings all lists up to date that somebody has asked for: the server has come back. */
  readonly refreshAll: () => Promise<void>
}

export interface ListsSetup {
  readonly name: string
  readonly limits: Pick<RequestOptions, 'idleMs' | 'maxMs'>
  readonly lease: (signal?: AbortSignal) => Promise<Lease>
  /** Which tools exist at all. */
  readonly toolExists: (tool: string) => boolean
  /** Keeps a list as it came, for those who want to look without asking. */
  readonly keepListing?: ((kind: ListKind, items: readonly JsonObject[]) => void) | undefined
  readonly note: (text: string) => void
  readonly emit: (event: HubEvent) => void
}

/** Who lists does not wait for a server that is down: the others are there at once, and this one's last list too. */
const patienceMs = 0

/** Keeps the lists of one server: asked for when first wanted, again after a change or a new connection, and held through failures. */
export function serverLists(setup: ListsSetup): ServerLists {
  const { name, limits, lease, note, emit } = setup
  const held: Partial<Record<ListKind, { readonly listing: Listing<ListKind>; readonly epoch: number }>> = {}
  const fetching = new Map<ListKind, Promise<Listing<ListKind>>>()

  return {
    list,
    refresh,
    async refreshAll() {
      const kinds = Object.keys(held) as readonly ListKind[]
      await Promise.all(kinds.map(refresh))
    },
  }

  async function list<Kind extends ListKind>(kind: Kind, options: ListOptions): Promise<Listing<Kind>> {
    const known = held[kind]
    try {
      const live = await lease(options.signal)
      await live.connection({ signal: options.signal, patienceMs })
      const isCurrent = known?.epoch === live.epoch() && !wantsFresh(known.listing, options)
      if (isCurrent) return known.listing as Listing<Kind>
      return (await waitFor(
        fetchOnce(kind, live, options.fresh === true),
        options.signal,
        `${kind} of server "${name}"`,
      )) as Listing<Kind>
    } catch (error) {
      if (known === undefined || !(error instanceof CapstanError)) throw error
      return { entries: known.listing.entries as Lists[Kind], staleBecause: error }
    }
  }

  function fetchOnce(kind: ListKind, live: Lease, fresh: boolean): Promise<Listing<ListKind>> {
    const running = fetching.get(kind) ?? fetchList(kind, live, fresh).finally(() => fetching.delete(kind))
    fetching.set(kind, running)
    return running
  }

  async function fetchList(kind: ListKind, live: Lease, fresh: boolean): Promise<Listing<ListKind>> {
    const before = held[kind]?.listing
    const epoch = live.epoch()
    const listing = await askForList(kind, live, fresh).catch((error: unknown): Listing<ListKind> => {
      if (before === undefined || !(error instanceof CapstanError)) throw error
      note(`The list of ${kind} could not be refreshed: ${error.message}`)
      return { entries: before.entries, staleBecause: error }
    })
    held[kind] = { listing, epoch }
    const difference = before && differenceOf(kind, before.entries, listing.entries)
    if (difference !== undefined) emit({ kind: 'catalogue', server: name, difference })
    return listing
  }

  async function askForList(kind: ListKind, live: Lease, fresh: boolean): Promise<Listing<ListKind>> {
    // What we have seen once and ask for again is wanted from the server itself, not from what others have seen.
    const items = await live.list(kind, { ...limits, patienceMs, fresh: fresh || held[kind] !== undefined })
    setup.keepListing?.(kind, items)
    const { entries, leftOut } = readList(kind, name, items)
    for (const reason of leftOut) note(`Left out of ${kind}, for ${reason}`)
    return {
      entries: kind === 'tools' ? (entries as Lists['tools']).filter((tool) => setup.toolExists(tool.tool)) : entries,
    }
  }

  async function refresh(kind: ListKind): Promise<void> {
    const underWay = fetching.get(kind)
    // Nobody has asked for this list yet, so there is nothing to bring up to date.
    if (held[kind] === undefined && underWay === undefined) return
    try {
      // A listing that is on its way may be older than the change: ask again after it.
      await underWay
      await fetchOnce(kind, await lease(), true)
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
