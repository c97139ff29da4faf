import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import { isLoopback } from './address.ts'
import type { Refusal } from './refusal.ts'

export interface GuardOptions {
  /** What we listen on. */
  readonly host: string
  /** Names besides it under which we are known. */
  readonly hosts: readonly string[]
  /** Web pages, as `https://host:port`, whose scripts may come. */
  readonly origins: readonly string[]
}

/** Judges a request by its headers alone, before its body is read. */
export function guardHeaders(
  { method = '', headers }: { readonly method?: string | undefined; readonly headers: IncomingHttpHeaders },
  options: GuardOptions,
): Refusal | undefined {
  if (!isKnownHost(headers.host, options)) return refused(403, 'This Host is not served here.')
  if (!isKnownOrigin(headers, options)) return refused(403, 'Web pages of this Origin may not come here.')
  if (!['GET', 'POST', 'DELETE', 'OPTIONS'].includes(method)) {
    return { ...refused(405, 'Only GET, POST and DELETE are served.'), headers: { allow: 'GET, POST, DELETE' } }
  }
  if (method === 'POST' && !isJson(headers['content-type'])) return refused(415, 'The body must be application/json.')
  return undefined
}

function refused(status: number, message: string): Refusal {
  return { status, message }
}

/**
 * A page of a stranger can have its name lead to this machine (DNS rebinding); the browser then sends that name. An address in
 * numbers cannot be led elsewhere, so where others may come at all, those are fine.
 */
function isKnownHost(header: string | undefined, { host, hosts }: GuardOptions): boolean {
  const name = hostnameOf(header)
  if (name === undefined) return false
  const known = [host.toLowerCase(), ...hosts.map((one) => one.toLowerCase())]
  if (known.includes(name)) return true
  return isLoopback(host) ? isLoopback(name) : isIP(name) !== 0
}

/** The host of a `Host` header without its port and brackets. */
function hostnameOf(header: string | undefined): string | undefined {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^:[\]/@\s]+))(?::\d{1,5})?$/i.exec(header ?? '')
  return (match?.[1] ?? match?.[2])?.toLowerCase()
}

/** Only browsers send one. Our own pages are none, so what fits is the very address asked for, or one that was listed. */
function isKnownOrigin({ origin, host }: IncomingHttpHeaders, { origins }: GuardOptions): boolean {
  if (origin === undefined) return true
  return origins.includes(origin) || origin === `http://${host}`
}

function isJson(type: string | undefined): boolean {
  return /^\s*application\/json\s*(?:;|$)/i.test(type ?? '')
}

/** What a browser needs to hear before a listed page may come; nothing for all others. */
export function corsHeaders(origin: string | undefined, { origins }: GuardOptions): Readonly<Record<string, string>> {
  if (origin === undefined || !origins.includes(origin)) return {}
  return {
    'access-control-allow-origin': origin,
    'access-control-allow-methods': 'GET, POST, DELETE',
    'access-control-allow-headers':
      'authorization, content-type, accept, last-event-id, mcp-protocol-version, mcp-session-id, mcp-method, mcp-name',
    'access-control-expose-headers': 'mcp-session-id, www-authenticate, retry-after',
    'access-control-max-age': '600',
    vary: 'origin',
  }
}
