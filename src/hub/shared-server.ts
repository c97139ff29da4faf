import type { ServerConfig } from '../config/types.ts'
import { CapstanError, messageOf } from '../errors.ts'
import type { JsonObject, ListKind } from './api.ts'
import type { Connection, RequestOptions } from './connection.ts'
import type { ConnectOptions } from './connect.ts'
import { serverLog } from './server-log.ts'
import { waitFor } from './wait-for.ts'

/** Opens a connection to a server whose `${…}` have been filled in. */
export type ConnectServer = (server: ServerConfig, options: ConnectOptions) => Promise<Connection>

/** The parts of a connection that belong to the pool and not to whichever hub happens to ask first. */
export type PoolOwned = Pick<ConnectOptions, 'eras' | 'leftovers' | 'grace' | 'maxLineBytes' | 'onProcess'>

/** What is known about one shared server, for `status`. */
export interface SharedStatus {
  /** The names its users know it by. */
  readonly names: readonly string[]
  readonly connection?: Connection
  readonly startedAtMs: number
  readonly starts: number
  readonly calls: number
  /** Durations of the last calls. */
  readonly recentMs: readonly number[]
  readonly lastError?: string
}

/** One connection with several users. It ends when nobody has used it for the server's idle time. */
export interface SharedServer {
  readonly lease: (options: ConnectOptions) => Promise<Connection>
  readonly status: () => SharedStatus
  readonly close: () => Promise<void>
}

interface SharedSetup {
  readonly server: ServerConfig
  readonly connect: ConnectServer
  readonly owned: PoolOwned
  readonly onEnd: () => void
}

type User = Pick<ConnectOptions, 'name' | 'onLog' | 'onListChanged'>

const keptDurations = 200

export function sharedServer({ server, connect, owned, onEnd }: SharedSetup): SharedServer {
  const users = new Set<User>()
  const names = new Set<string>()
  const log = serverLog(({ source, text }) => users.forEach((user) => user.onLog(source, text)))
  const lists = new Map<ListKind, Promise<readonly JsonObject[]>>()
  const recentMs: number[] = []
  let connecting: Promise<Connection> | undefined
  let live: Connection | undefined
  let busy = 0
  let hasCalled = false
  let idle: NodeJS.Timeout | undefined
  let counts = { startedAtMs: 0, starts: 0, calls: 0 }
  let lastError: string | undefined

  return {
    async lease(options) {
      const user: User = { name: options.name, onLog: options.onLog, onListChanged: options.onListChanged }
      users.add(user)
      names.add(options.name)
      for (const { source, text } of log.lines()) options.onLog(source, text)
      try {
        const connection = await waitFor(
          (connecting ??= open(options)),
          options.signal,
          `server "${options.name}" to connect`,
        )
        return leased(connection, user)
      } catch (error) {
        users.delete(user)
        throw error
      }
    },
    status: () => ({
      names: [...names],
      ...counts,
      recentMs: [...recentMs],
      ...(live === undefined ? {} : { connection: live }),
      ...(lastError === undefined ? {} : { lastError }),
    }),
    close,
  }

  /** Ends it, and lets the pool forget it: the next use makes a new one. */
  async function close(): Promise<void> {
    clearTimeout(idle)
    onEnd()
    const open = await connecting?.catch(() => undefined)
    await open?.close()
  }

  async function open(options: ConnectOptions): Promise<Connection> {
    counts = { ...counts, starts: counts.starts + 1, startedAtMs: Date.now() }
    try {
      const connection = await connect(server, {
        ...options,
        ...owned,
        // The first who asks may give up; the others still wait.
        signal: AbortSignal.timeout(server.startTimeout * 1000),
        onLog: log.write,
        onListChanged: announce,
        stderrTail: log.stderrTail,
      })
      live = connection
      void connection.closed.then(ended)
      rest()
      return connection
    } catch (error) {
      connecting = undefined
      lastError = messageOf(error)
      throw error
    }
  }

  function ended(): void {
    connecting = undefined
    live = undefined
    hasCalled = false
    lists.clear()
    clearTimeout(idle)
  }

  function leased(connection: Connection, user: User): Connection {
    let release: () => void = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    return {
      ...connection,
      request: (method, params, options) => used(() => connection.request(method, params, options)),
      callTool: (tool, args, options) => used(() => timed(() => connection.callTool(tool, args, options))),
      list: (kind, options) => used(() => list(connection, kind, options)),
      closed: Promise.race([connection.closed, released]),
      async close() {
        users.delete(user)
        release()
      },
    }
  }

  /** Others have asked for the same list: it holds until the server says that it changed. */
  function list(connection: Connection, kind: ListKind, options: RequestOptions): Promise<readonly JsonObject[]> {
    const held = options.fresh === true ? undefined : lists.get(kind)
    const listing = held ?? connection.list(kind, options)
    lists.set(kind, listing)
    listing.catch(() => lists.delete(kind))
    return listing
  }

  async function timed(call: () => Promise<JsonObject>): Promise<JsonObject> {
    const startedAt = performance.now()
    counts = { ...counts, calls: counts.calls + 1 }
    hasCalled = true
    try {
      return await call()
    } catch (error) {
      // Who gives up says nothing about the server.
      if (!(error instanceof CapstanError && error.code === 'cancelled')) lastError = messageOf(error)
      throw error
    } finally {
      recentMs.push(performance.now() - startedAt)
      if (recentMs.length > keptDurations) recentMs.shift()
    }
  }

  async function used<Value>(work: () => Promise<Value>): Promise<Value> {
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
    if (server.lifecycle === 'per-call' && hasCalled) return void live?.close()
    idle = setTimeout(() => void close(), server.idle * 1000)
    idle.unref()
  }

  function announce(kind: ListKind): void {
    lists.delete(kind)
    for (const user of users) user.onListChanged(kind)
  }
}
