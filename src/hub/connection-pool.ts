import { serverIdentity } from '../config/identity.ts'
import type { ServerConfig } from '../config/types.ts'
import type { ConnectOptions } from './connect.ts'
import {
  sharedServer,
  type ConnectServer,
  type PoolOwned,
  type SharedServer,
  type SharedStatus,
} from './shared-server.ts'

/**
 * Connections that several hubs share: whoever asks for a server of the same identity gets the same process. What a hub gets is a
 * lease; closing it leaves the connection to the others.
 */
export interface ConnectionPool extends AsyncDisposable {
  readonly connect: ConnectServer
  readonly servers: () => readonly SharedStatus[]
  /** Closes what runs under this name, or everything; the next use starts it anew. Resolves to how many that were. */
  readonly restart: (name?: string) => Promise<number>
}

export function connectionPool(connect: ConnectServer, owned: PoolOwned): ConnectionPool {
  const shared = new Map<string, SharedServer>()
  return {
    async connect(server, options) {
      const key = shareKey(server, options)
      const entry = shared.get(key) ?? sharedServer({ server, connect, owned, onEnd: () => shared.delete(key) })
      shared.set(key, entry)
      return entry.lease(options)
    },
    servers: () => [...shared.values()].map((entry) => entry.status()),
    async restart(name) {
      const wanted = [...shared.values()].filter((entry) => name === undefined || entry.status().names.includes(name))
      await Promise.all(wanted.map((entry) => entry.close()))
      return wanted.length
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...shared.values()].map((entry) => entry.close()))
    },
  }
}

/** The environment that every child inherits belongs to its identity: another PATH may mean another program. */
function shareKey(server: ServerConfig, { env, client }: ConnectOptions): string {
  const inherited = ['PATH', 'HOME', 'USER', 'LOGNAME'].map((name) => env[name] ?? '')
  const owner = server.share === 'client' ? (client ?? '') : ''
  return [serverIdentity(server), owner, ...(server.transport === 'stdio' ? inherited : [])].join('\n')
}
