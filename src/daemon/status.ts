import type { ConnectionPool } from '../hub/connection-pool.ts'
import { version } from '../version.ts'

export interface DaemonServerStatus {
  readonly names: readonly string[]
  readonly state: 'running' | 'stopped'
  readonly era?: string
  readonly pid?: number
  readonly transport?: string
  readonly uptimeMs?: number
  readonly restarts: number
  readonly calls: number
  readonly p50Ms?: number
  readonly p95Ms?: number
  readonly lastError?: string
}

/** What `capstan status` shows. */
export interface DaemonStatus {
  readonly pid: number
  readonly version: string
  readonly uptimeMs: number
  readonly clients: number
  readonly rssBytes: number
  readonly servers: readonly DaemonServerStatus[]
}

export function daemonStatus(
  pool: ConnectionPool,
  { startedAtMs, clients }: { readonly startedAtMs: number; readonly clients: number },
): DaemonStatus {
  const now = Date.now()
  const servers = pool
    .servers()
    .map(({ names, connection, starts, calls, recentMs, lastError, startedAtMs: since }) => {
      const sorted = recentMs.toSorted((a, b) => a - b)
      const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
      const [p50Ms, p95Ms] = [at(0.5), at(0.95)]
      return {
        names,
        state: connection === undefined ? ('stopped' as const) : ('running' as const),
        ...(connection === undefined
          ? {}
          : { era: connection.era, transport: connection.transport, uptimeMs: now - since }),
        ...(connection?.pid === undefined ? {} : { pid: connection.pid }),
        restarts: Math.max(0, starts - 1),
        calls,
        ...(p50Ms === undefined ? {} : { p50Ms }),
        ...(p95Ms === undefined ? {} : { p95Ms }),
        ...(lastError === undefined ? {} : { lastError }),
      }
    })
  return {
    pid: process.pid,
    version,
    uptimeMs: now - startedAtMs,
    clients,
    rssBytes: process.memoryUsage.rss(),
    servers,
  }
}
