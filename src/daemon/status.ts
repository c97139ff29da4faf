import type { ConnectionPool } from '../hub/servers/connection-pool.ts'
import type { SharedStatus } from '../hub/servers/shared-server.ts'
import { version } from '../version.ts'

/** What `capstan status` shows. */
export interface DaemonStatus {
  readonly pid: number
  readonly version: string
  readonly uptimeMs: number
  readonly clients: number
  readonly rssBytes: number
  readonly servers: readonly SharedStatus[]
}

export function daemonStatus(
  pool: ConnectionPool,
  { startedAtMs, clients }: { readonly startedAtMs: number; readonly clients: number },
): DaemonStatus {
  return {
    pid: process.pid,
    version,
    uptimeMs: Date.now() - startedAtMs,
    clients,
    rssBytes: process.memoryUsage.rss(),
    servers: pool.servers(),
  }
}
