import { CapstanError, messageOf, stopped } from '../../errors.ts'
import type {
  AskOptions,
  HubEvent,
  JsonObject,
  ListKind,
  LogLine,
  ServerState,
  ServerStatus,
  ToolEntry,
} from '../api.ts'
import type { Connection, RequestOptions } from '../wire/connection.ts'
import { serverLists, type ServerLists } from './server-lists.ts'
import { serverLog } from './server-log.ts'
import type { Lease, ServerUser } from './shared-server.ts'
import { waitFor } from '../wait-for.ts'

export interface Limits {
  readonly idleMs: number
  readonly maxMs: number
  readonly startMs: number
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
  /** Finds out what is to be run, and takes a share in it. */
  readonly lease: (user: ServerUser) => Promise<Lease>
  /** How it stands with others who share it, before this hub has used it. */
  readonly peek?: () => Promise<Required<Pick<ServerStatus, 'state' | 'stats'>> | undefined>
  /** Logs in and out, where the server is one that can want it. */
  readonly login?: (options: AskOptions) => Promise<void>
  readonly logout?: (options: AskOptions) => Promise<void>
  /** Keeps a list as it came, for those who want to look without asking. */
  readonly keepListing?: (kind: ListKind, items: readonly JsonObject[]) => void
  /** Answers what the server asks when the caller does not. */
  readonly onAsk?: RequestOptions['onAsk']
  readonly emit: (event: HubEvent) => void
}

/** One server as one hub has it: by its name, with its lists, its log and its limits. Its life is led by whoever runs it. */
export interface LiveServer {
  readonly name: string
  readonly limits: Limits
  readonly status: () => ServerStatus
  /** The same, with a look at what others run where this hub has not used it yet. */
  readonly sharedStatus: () => Promise<ServerStatus>
  readonly logs: () => readonly LogLine[]
  readonly list: ServerLists['list']
  readonly request: (method: string, params: JsonObject, options: Partial<RequestOptions>) => Promise<JsonObject>
  readonly callTool: (tool: ToolEntry, args: JsonObject, options: Partial<RequestOptions>) => Promise<JsonObject>
  readonly connection: (signal?: AbortSignal) => Promise<Connection>
  readonly restart: () => Promise<void>
  readonly login: (options: AskOptions) => Promise<void>
  readonly logout: (options: AskOptions) => Promise<void>
  /** Takes no more requests; ends when those under way are done, or after a while. */
  readonly retire: () => Promise<void>
  readonly close: () => Promise<void>
}

/** How long the calls of a server that is replaced may go on. */
const retireMs = 10_000

export function liveServer(setup: ServerSetup): LiveServer {
  const { name, limits, emit, toolExists, keepListing } = setup
  const { write, lines } = serverLog((line) => emit({ kind: 'log', server: name, line }))
  const ending = new AbortController()
  let leasing: Promise<Lease> | undefined
  let lease: Lease | undefined
  let seenEpoch = 0
  let failed: ServerState | undefined
  let closing: Promise<void> | undefined
  const underWay = new Set<Promise<unknown>>()
  const lists = serverLists({
    name,
    limits,
    lease: leased,
    toolExists,
    keepListing,
    note: (text) => write('hub', text),
    emit,
  })

  return {
    name,
    limits,
    status,
    async sharedStatus() {
      if (setup.barred !== undefined || lease !== undefined || failed !== undefined) return status()
      // An entry that cannot be resolved says so when it is used.
      const seen = await setup.peek?.().catch(() => undefined)
      return { ...status(), ...(seen === undefined ? {} : { state: seen.state, stats: seen.stats }) }
    },
    logs: lines,
    connection: async (signal) => {
      const held = await leased(signal)
      return held.connection({ signal, patienceMs: limits.startMs })
    },
    list: lists.list,
    request: async (method, params, options) => {
      const held = await leased(options.signal)
      return track(held.request(method, params, sendOptions(options)))
    },
    callTool: async (tool, args, options) => {
      const held = await leased(options.signal)
      return track(held.callTool(tool, args, sendOptions(options)))
    },
    restart: async () => (await leased()).restart(),
    async login(options) {
      await byLogin(setup.login)(options)
      lease?.reset()
    },
    async logout(options) {
      await byLogin(setup.logout)(options)
      // What is connected still has the old rights.
      await lease?.close()
    },
    retire: () => (closing ??= close(retireMs)),
    close: () => (closing ??= close(0)),
  }

  function track<Value>(work: Promise<Value>): Promise<Value> {
    const tracked = work.finally(() => underWay.delete(tracked))
    underWay.add(tracked)
    return tracked
  }

  function byLogin(act: ServerSetup['login']): (options: AskOptions) => Promise<void> {
    if (setup.barred !== undefined) throw setup.barred.error
    if (act !== undefined) return act
    throw new CapstanError('usage', `Server "${name}" is a program of this machine: there is nothing to log in to.`, {
      server: name,
    })
  }

  function status(): ServerStatus {
    const { description } = setup
    const stats = lease === undefined ? {} : { stats: lease.stats() }
    return { name, ...(description === undefined ? {} : { description }), state: state(), ...stats }
  }

  function state(): ServerState {
    return setup.barred?.state ?? lease?.state() ?? failed ?? { kind: 'idle' }
  }

  function sendOptions(options: Partial<RequestOptions>) {
    const { onAsk } = setup
    return { ...limits, patienceMs: limits.startMs, ...(onAsk === undefined ? {} : { onAsk }), ...defined(options) }
  }

  function leased(signal?: AbortSignal): Promise<Lease> {
    if (setup.barred !== undefined) return Promise.reject(setup.barred.error)
    const over = [ending.signal, signal].find((given) => given?.aborted)
    if (over !== undefined) return Promise.reject(stopped(over, `server "${name}"`, name))
    leasing ??= takeLease()
    return lease === undefined ? waitFor(leasing, signal, `server "${name}" to connect`) : leasing
  }

  async function takeLease(): Promise<Lease> {
    try {
      lease = await setup.lease({ name, onLog: write, onListChanged: (kind) => void lists.refresh(kind), onState })
      failed = undefined
      return lease
    } catch (error) {
      leasing = undefined
      const failure = asExpected(error)
      failed = { kind: 'failed', error: failure.toJSON(), stderrTail: [] }
      onState(failed)
      throw failure
    }
  }

  function onState(next: ServerState): void {
    emit({ kind: 'state', server: name, state: next })
    const epoch = lease?.epoch() ?? 0
    const isNew = next.kind === 'ready' && epoch !== seenEpoch
    if (!isNew) return
    const isReturn = seenEpoch > 0
    seenEpoch = epoch
    // It may have come back as another version of itself.
    if (isReturn) void lists.refreshAll()
  }

  async function close(graceMs: number): Promise<void> {
    ending.abort(new CapstanError('cancelled', `Server "${name}" was stopped.`, { server: name }))
    const held = await leasing?.catch(() => undefined)
    if (graceMs > 0) await settledWithin(underWay, graceMs)
    await held?.release()
  }

  function asExpected(error: unknown): CapstanError {
    if (error instanceof CapstanError) return error
    const message = `Server "${name}" failed: ${messageOf(error)}`
    return new CapstanError('transport_failed', message, { server: name, cause: error })
  }
}

async function settledWithin(work: Iterable<Promise<unknown>>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([Promise.allSettled(work), late])
  clearTimeout(timer)
}

/** Options that were not given must not hide the defaults. */
function defined(options: Partial<RequestOptions>): Partial<RequestOptions> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
}
