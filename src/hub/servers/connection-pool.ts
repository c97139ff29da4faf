import {
  sharedServer,
  type Lease,
  type ServerPlan,
  type ServerUser,
  type SharedServer,
  type SharedStatus,
} from './shared-server.ts'

/** Servers that several hubs share: who asks for the same key gets the same server, as a lease that leaves it to the others when released. */
export interface ConnectionPool extends AsyncDisposable {
  readonly lease: (key: string, plan: ServerPlan, user: ServerUser) => Lease
  /** What is known of a server that somebody uses or has used lately. */
  readonly status: (key: string) => SharedStatus | undefined
  readonly servers: () => readonly SharedStatus[]
  /** Starts anew what runs under this name, or everything. Resolves to how many that were. */
  readonly restart: (name?: string) => Promise<number>
}

export function connectionPool(): ConnectionPool {
  const shared = new Map<string, SharedServer>()
  return {
    lease(key, plan, user) {
      const known = shared.get(key)
      if (known !== undefined) return known.lease(user)
      const made = sharedServer(plan, () => shared.get(key) === made && shared.delete(key))
      shared.set(key, made)
      return made.lease(user)
    },
    status: (key) => shared.get(key)?.status(),
    servers: () => [...shared.values()].map((server) => server.status()),
    async restart(name) {
      const wanted = [...shared.values()].filter((server) => name === undefined || server.status().names.includes(name))
      // Its users hear of a failure to come back by its state.
      await Promise.allSettled(wanted.map((server) => server.restart()))
      return wanted.length
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...shared.values()].map((server) => server.close()))
    },
  }
}
