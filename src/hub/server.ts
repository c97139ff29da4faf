import { CapstanError, messageOf, stopped, type ErrorJson } from '../errors.ts'
import type { HubEvent, JsonObject, ListKind, LogLine, ServerState, ServerStatus, ToolEntry } from './api.ts'
import { differenceOf, noLists, readList, type Lists } from './catalogue.ts'
import type { Connection, RequestOptions } from './connection.ts'
import { waitFor } from './wait-for.ts'

export interface Limits {
  readonly idleMs: number
  readonly maxMs: number
  readonly startMs: number
}

/** What a server's life reports to whoever opens its connections. */
export interface LifeHooks {
  /** The start deadline, and the end of the hub. */
  readonly signal: AbortSignal
  readonly onLog: (source: LogLine['source'], text: string) => void
  readonly onListChanged: (kind: ListKind) => void
  readonly stderrTail: () => readonly string[]
}

export interface ServerSetup {
  readonly name: string
  readonly description?: string | undefined
  readonly limits: Limits
  /** Why the server may not be used, if it may not. */
  readonly barred?: {
    readonly state: Extract<ServerState, { kind: 'disabled' | 'untrusted' | 'failed' }>
    readonly error: CapstanError
  }
  /** Which tools exist at all. */
  readonly toolExists: (tool: string) => boolean
  readonly open: (hooks: LifeHooks) => Promise<Connection>
  /** Keeps a list as it came, for those who want to look without asking. */
  readonly keepListing?: (kind: ListKind, items: readonly JsonObject[]) => void
  readonly emit: (event: HubEvent) => void
}

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

/** One server's life: connects when first needed, keeps its lists, and connects anew when it has gone. */
export interface LiveServer {
  readonly name: string
  readonly limits: Limits
  readonly status: () => ServerStatus
  readonly logs: () => readonly LogLine[]
  readonly list: <Kind extends ListKind>(kind: Kind, options: ListOptions) => Promise<Listing<Kind>>
  readonly request: (method: string, params: JsonObject, options: Partial<RequestOptions>) => Promise<JsonObject>
  readonly callTool: (tool: ToolEntry, args: JsonObject, options: Partial<RequestOptions>) => Promise<JsonObject>
  readonly connection: (signal?: AbortSignal) => Promise<Connection>
  readonly close: () => Promise<void>
}

const maxLogLines = 1000
const stderrTailLines = 10

export function liveServer(setup: ServerSetup): LiveServer {
  const { name, limits, emit } = setup
  const log: LogLine[] = []
  const held: Partial<Record<ListKind, { readonly listing: Listing<ListKind>; readonly from: Connection }>> = {}
  const refreshing = new Map<ListKind, Promise<Listing<ListKind>>>()
  /** The one in use, and those that only finish what is under way. */
  const connections = new Set<Connection>()
  const ending = new AbortController()
  let state: ServerState = setup.barred?.state ?? { kind: 'idle' }
  let connecting: Promise<Connection> | undefined
  let closing: Promise<void> | undefined

  return {
    name,
    limits,
    status: () => ({ name, ...(setup.description === undefined ? {} : { description: setup.description }), state }),
    logs: () => [...log],
    connection,
    list,
    request: (method, params, options) =>
      attempt(options, (live) => live.request(method, params, { ...limits, ...options })),
    callTool: (tool, args, options) => attempt(options, (live) => live.callTool(tool, args, { ...limits, ...options })),
    close: () => (closing ??= close()),
  }

  async function close(): Promise<void> {
    ending.abort(new CapstanError('cancelled', `Server "${name}" was stopped.`, { server: name }))
    await connecting?.catch(() => undefined)
    const closings = await Promise.allSettled([...connections].map((live) => live.close()))
    for (const closed of closings) {
      if (closed.status === 'rejected') write('hub', `A connection did not close cleanly: ${messageOf(closed.reason)}`)
    }
  }

  /** A request that a remote server refused together with our session may be sent once more, on a new connection. */
  async function attempt(
    { signal }: Partial<RequestOptions>,
    send: (live: Connection) => Promise<JsonObject>,
  ): Promise<JsonObject> {
    const live = await connection(signal)
    try {
      return await send(live)
    } catch (error) {
      if (!live.wasNotRun(error)) throw error
      return send(await connection(signal))
    }
  }

  function connection(signal?: AbortSignal): Promise<Connection> {
    if (setup.barred !== undefined) return Promise.reject(setup.barred.error)
    const over = [ending.signal, signal].find((given) => given?.aborted)
    if (over !== undefined) return Promise.reject(stopped(over, `server "${name}"`, name))
    connecting ??= connect()
    return waitFor(connecting, signal, `server "${name}" to connect`)
  }

  async function connect(): Promise<Connection> {
    const startedAt = performance.now()
    setState({ kind: 'connecting' })
    try {
      const live = await setup.open({
        signal: AbortSignal.any([ending.signal, AbortSignal.timeout(limits.startMs)]),
        onLog: write,
        onListChanged: (kind) => void refreshAfterChange(kind),
        stderrTail,
      })
      connections.add(live)
      void live.ended.then(() => connections.delete(live))
      void live.closed.then(() => forget(live))
      setState(readyState(live, performance.now() - startedAt))
      return live
    } catch (error) {
      connecting = undefined
      const failure = ending.signal.aborted ? stopped(ending.signal, `server "${name}"`, name) : asExpected(error)
      setState({ kind: 'failed', error: failure.toJSON(), stderrTail: stderrTail() })
      throw failure
    }
  }

  /** A connection that has gone is made anew by the next use. */
  function forget(live: Connection): void {
    connecting = undefined
    write('hub', `The connection (${live.transport}${live.pid === undefined ? '' : `, pid ${live.pid}`}) has ended.`)
    setState({ kind: 'idle' })
  }

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
      write('hub', `The list of ${kind} could not be refreshed: ${messageOf(error)}`)
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
    for (const reason of leftOut) write('hub', `Left out of ${kind}, for ${reason}`)
    return {
      entries: kind === 'tools' ? (entries as Lists['tools']).filter((tool) => setup.toolExists(tool.tool)) : entries,
    }
  }

  async function refreshAfterChange(kind: ListKind): Promise<void> {
    const underWay = refreshing.get(kind)
    // Nobody has asked for this list yet, so there is nothing to bring up to date.
    if ((held[kind] === undefined && underWay === undefined) || connecting === undefined) return
    try {
      // A listing that is on its way may be older than the change: ask again after it.
      await underWay
      await refresh(kind, await connecting, true)
    } catch (error) {
      write('hub', `The list of ${kind} could not be refreshed: ${messageOf(error)}`)
    }
  }

  function setState(next: ServerState): void {
    state = next
    emit({ kind: 'state', server: name, state })
  }

  function write(source: LogLine['source'], text: string): void {
    const line = { atMs: Date.now(), source, text: shortened(text) }
    log.push(line)
    if (log.length > maxLogLines) log.shift()
    emit({ kind: 'log', server: name, line })
  }

  function stderrTail(): readonly string[] {
    return log
      .filter((line) => line.source === 'stderr')
      .slice(-stderrTailLines)
      .map((line) => line.text)
  }

  function asExpected(error: unknown): CapstanError {
    if (error instanceof CapstanError) return error
    return new CapstanError('transport_failed', `Server "${name}" failed: ${messageOf(error)}`, {
      server: name,
      cause: error,
    })
  }
}

function wantsFresh(listing: Listing<ListKind>, { fresh }: ListOptions): boolean {
  return fresh === true || (fresh === 'if-stale' && listing.staleBecause !== undefined)
}

const maxLogText = 4096

/** A stray line may be as long as a message; the log keeps its beginning, as a copy, for a slice would keep the whole alive. */
function shortened(text: string): string {
  return text.length <= maxLogText ? text : `${Buffer.from(text.slice(0, maxLogText)).toString()}…`
}

function readyState(live: Connection, connectMs: number): ServerState {
  const { era, protocolVersion, transport, pid, implementation, instructions } = live
  return {
    kind: 'ready',
    era,
    protocolVersion,
    transport,
    connectMs: Math.round(connectMs),
    ...(pid === undefined ? {} : { pid }),
    ...(implementation === undefined ? {} : { implementation }),
    ...(instructions === undefined ? {} : { instructions }),
  }
}

/** All lists of one server, as one value with how it stands. A list that fails hides none of the others that hold something. */
export async function listsOf(
  server: LiveServer,
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

async function listOrReason(server: LiveServer, kind: ListKind, options: ListOptions) {
  try {
    return { kind, isMissing: false, ...(await server.list(kind, options)) }
  } catch (error) {
    if (!(error instanceof CapstanError)) throw error
    return { kind, isMissing: true, entries: noLists[kind], staleBecause: error }
  }
}
