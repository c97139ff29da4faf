import { CapstanError } from '../../errors.ts'
import type { JsonObject, ListKind, LogLine, ServerState, ServerStats, ToolEntry } from '../api.ts'
import { callStats } from './call-stats.ts'
import type { Connection, RequestOptions } from '../wire/connection.ts'
import { gateFor } from './gate.ts'
import { serverCopies, type CopiesSetup, type Sender } from './server-copies.ts'
import type { Patience, ServerCopy } from './server-copy.ts'
import { serverLog } from './server-log.ts'

/** How a server is run, whoever asks for it. */
export interface ServerPlan extends Pick<CopiesSetup, 'name' | 'opens' | 'startMs' | 'retry'> {
  /** How many calls run at once. */
  readonly concurrency?: number | undefined
  /** Whether it ends after each call. */
  readonly isPerCall: boolean
  /** Time without use after which it ends; absent: with its last user. */
  readonly idleMs?: number | undefined
}

/** Somebody who uses a server, and what they want to hear of it. */
export interface ServerUser {
  readonly name: string
  readonly onLog: (source: LogLine['source'], text: string) => void
  readonly onListChanged: (kind: ListKind) => void
  readonly onState: (state: ServerState) => void
}

/** A server as one of its users has it. */
export interface Lease {
  readonly state: () => ServerState
  readonly stats: () => ServerStats
  /** Counts the connections: lists of an earlier one may be out of date. */
  readonly epoch: () => number
  readonly connection: (patience: Patience) => Promise<Connection>
  readonly request: (method: string, params: JsonObject, options: SendOptions) => Promise<JsonObject>
  readonly callTool: (tool: ToolEntry, args: JsonObject, options: SendOptions) => Promise<JsonObject>
  readonly list: (kind: ListKind, options: SendOptions) => Promise<readonly JsonObject[]>
  readonly restart: () => Promise<void>
  /** Forgets failures, such as a missing login. */
  readonly reset: () => void
  /** Ends what runs, for all users; the next use starts it anew. */
  readonly close: () => Promise<void>
  readonly release: () => Promise<void>
}

export type SendOptions = RequestOptions & Patience

/** What is known about one shared server, for `status`. */
export interface SharedStatus {
  /** The names its users know it by. */
  readonly names: readonly string[]
  readonly state: ServerState
  readonly stats: ServerStats
}

/** One server with several users: who they are, what they have in common, and when it ends. */
export interface SharedServer {
  readonly lease: (user: ServerUser) => Lease
  readonly status: () => SharedStatus
  readonly restart: () => Promise<void>
  readonly close: () => Promise<void>
}

export function sharedServer(plan: ServerPlan, onEnd: () => void): SharedServer {
  const users = new Set<ServerUser>()
  const names = new Set<string>()
  const log = serverLog(({ source, text }) => users.forEach((user) => user.onLog(source, text)))
  const lists = new Map<ListKind, Promise<readonly JsonObject[]>>()
  const { timed, summary } = callStats()
  const gate = gateFor(plan.name, plan.concurrency)
  const copies = serverCopies({
    ...plan,
    onLog: log.write,
    onListChanged: announce,
    stderrTail: log.stderrTail,
    isWanted: () => !isClosed && !plan.isPerCall,
    assertOpen,
    onChange: hasChanged,
  })
  let busy = 0
  let hasCalled = false
  let isClosed = false
  let idle: NodeJS.Timeout | undefined
  let epoch = 0
  let readySinceMs: number | undefined

  return {
    lease,
    status: () => ({ names: [...names], state: copies.state(), stats: stats() }),
    restart: copies.restart,
    close,
  }

  function lease(user: ServerUser): Lease {
    users.add(user)
    names.add(user.name)
    for (const { source, text } of log.lines()) user.onLog(source, text)
    const session: Sender['session'] = { copy: undefined }
    return {
      state: copies.state,
      stats,
      epoch: () => epoch,
      async connection(patience) {
        assertOpen()
        using reached = await copies.reach({ ...patience, session, isHarmless: true })
        return reached.connection
      },
      request: (method, params, options) =>
        used(() =>
          copies.send({ ...options, session, isHarmless: true }, (live) => live.request(method, params, options)),
        ),
      callTool: (tool, args, options) =>
        used(async () => {
          using _place = await gate.enter(options.signal)
          hasCalled = true
          const sender = { ...options, session, isHarmless: isHarmless(tool) }
          return await timed(() => copies.send(sender, (live) => live.callTool(tool, args, options)))
        }),
      list: (kind, options) => used(() => list(kind, options, session)),
      restart: copies.restart,
      reset: copies.reset,
      close: copies.close,
      async release() {
        users.delete(user)
        const isOver = plan.idleMs === undefined || copies.state().kind === 'idle'
        if (users.size === 0 && isOver) await close()
      },
    }
  }

  /** Others have asked for the same list: it holds until the server says that it changed. */
  function list(kind: ListKind, options: SendOptions, session: Sender['session']): Promise<readonly JsonObject[]> {
    const held = options.fresh === true ? undefined : lists.get(kind)
    if (held !== undefined) return held
    const listing = copies.send({ ...options, session, isHarmless: true }, (live) => live.list(kind, options))
    lists.set(kind, listing)
    listing.catch(() => lists.get(kind) === listing && lists.delete(kind))
    return listing
  }

  function announce(kind: ListKind): void {
    lists.delete(kind)
    for (const user of users) user.onListChanged(kind)
  }

  function hasChanged(copy: ServerCopy): void {
    const life = copy.life()
    if (life.kind === 'ready') {
      epoch += 1
      readySinceMs = life.sinceMs
      lists.clear()
      if (busy === 0) rest()
    }
    const state = copies.state()
    users.forEach((user) => user.onState(state))
  }

  function stats(): ServerStats {
    const { all, ready, restarts } = copies.counts()
    const lastError = copies.lastError()
    return {
      ...(ready > 0 && readySinceMs !== undefined ? { uptimeMs: Date.now() - readySinceMs } : {}),
      restarts,
      ...summary(),
      ...(lastError === undefined ? {} : { lastError }),
      ...(all > 1 ? { copies: { ready, all } } : {}),
    }
  }

  function assertOpen(): void {
    if (isClosed) throw new CapstanError('cancelled', `Server "${plan.name}" was stopped.`, { server: plan.name })
  }

  async function used<Value>(work: () => Promise<Value>): Promise<Value> {
    assertOpen()
    busy += 1
    clearTimeout(idle)
    try {
      return await work()
    } finally {
      busy -= 1
      if (busy === 0) rest()
    }
  }

  /** Starts the idle time anew. */
  function rest(): void {
    clearTimeout(idle)
    if (isClosed) return
    if (plan.isPerCall && hasCalled) {
      hasCalled = false
      void copies.close()
    } else if (plan.idleMs !== undefined) {
      // Somebody may hold it for later: then only what runs ends.
      idle = setTimeout(() => void (users.size === 0 ? close() : copies.close()), plan.idleMs)
      idle.unref()
    }
  }

  /** Ends it, and lets the pool forget it: the next use makes a new one. */
  async function close(): Promise<void> {
    isClosed = true
    clearTimeout(idle)
    onEnd()
    await copies.close()
  }
}

/** Both are only what the server says of itself; an entry that does not believe it has `"retry": "never"`. */
function isHarmless({ annotations }: ToolEntry): boolean {
  return annotations?.readOnlyHint === true || annotations?.idempotentHint === true
}
