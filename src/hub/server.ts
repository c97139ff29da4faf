import { CapstanError, messageOf, stopped } from '../errors.ts'
import type { HubEvent, JsonObject, ListKind, LogLine, ServerState, ServerStatus, ToolEntry } from './api.ts'
import type { Connection, RequestOptions } from './connection.ts'
import { serverLists, type ServerLists } from './server-lists.ts'
import { serverLog } from './server-log.ts'
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

/** One server's life: connects when first needed, keeps its lists, and connects anew when it has gone. */
export interface LiveServer {
  readonly name: string
  readonly limits: Limits
  readonly status: () => ServerStatus
  readonly logs: () => readonly LogLine[]
  readonly list: ServerLists['list']
  readonly request: (method: string, params: JsonObject, options: Partial<RequestOptions>) => Promise<JsonObject>
  readonly callTool: (tool: ToolEntry, args: JsonObject, options: Partial<RequestOptions>) => Promise<JsonObject>
  readonly connection: (signal?: AbortSignal) => Promise<Connection>
  readonly close: () => Promise<void>
}

export function liveServer(setup: ServerSetup): LiveServer {
  const { name, limits, emit, toolExists, keepListing } = setup
  const { write, lines, stderrTail } = serverLog((line) => emit({ kind: 'log', server: name, line }))
  const note = (text: string) => write('hub', text)
  const lists = serverLists({ name, limits, connection, toolExists, keepListing, note, emit, asExpected })
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
    logs: lines,
    connection,
    list: lists.list,
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
        onListChanged: (kind) => void lists.refreshAfterChange(kind, connecting),
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

  function setState(next: ServerState): void {
    state = next
    emit({ kind: 'state', server: name, state })
  }

  function asExpected(error: unknown): CapstanError {
    if (error instanceof CapstanError) return error
    return new CapstanError('transport_failed', `Server "${name}" failed: ${messageOf(error)}`, {
      server: name,
      cause: error,
    })
  }
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
