import type { RequestOptions } from 'node:http'
import { isIP, type LookupFunction } from 'node:net'
import type { FetchLike } from '@modelcontextprotocol/client'
import { CapstanError, messageOf } from '../../errors.ts'
import { zoneOf, type Zone } from './address-zone.ts'

export interface GuardedFetchSetup {
  /** The server that the login is for: what a person has named. */
  readonly server: string
  readonly serverUrl: URL
  readonly signal?: AbortSignal | undefined
  readonly lookup?: Lookup | undefined
}

export interface Address {
  readonly address: string
  readonly family: number
}
type Lookup = (host: string) => Promise<readonly Address[]>

const maxBytes = 1024 * 1024
const requestMs = 20_000

/**
 * A fetch for addresses that a server told us: of metadata, registration and tokens. Its every failure is a CapstanError.
 *
 * A server may not send us to machines that it cannot reach itself. So a private address is only allowed while everybody who
 * had a say was private too: the server, and whoever was asked since. Each name is looked up once, and that address is the one
 * connected to: a second answer of the name server changes nothing.
 */
export function guardedFetch({ server, serverUrl, signal, lookup = lookUp }: GuardedFetchSetup): FetchLike {
  const pinned = new Map<string, Promise<readonly Address[]>>()
  let hasAskedPublic = false

  return async (input, init = {}) => {
    const url = new URL(input)
    try {
      const addresses = await admit(url)
      const limits = [AbortSignal.timeout(requestMs), signal, init.signal].filter((limit) => limit != null)
      return await send(url, init, { addresses, signal: AbortSignal.any(limits) })
    } catch (error) {
      if (signal?.aborted) throw signal.reason
      throw error instanceof CapstanError ? error : unreachableAt(url, error)
    }
  }

  async function admit(url: URL): Promise<readonly Address[]> {
    if (url.protocol !== 'https:' && url.protocol !== 'http:') throw refusal(url, 'it is not a web address')
    const [home, there] = await Promise.all([addressesOf(serverUrl), addressesOf(url)])
    const zone = commonZone(there)
    if (zone === 'public') hasAskedPublic = true
    // What the person has named may be anywhere.
    if (url.origin === serverUrl.origin) return there
    if (url.protocol === 'http:' && zone !== 'loopback') throw refusal(url, 'it is not an https address')
    if (!isWithin(zone, commonZone(home))) throw refusal(url, `it is a ${zone} address, and the server is elsewhere`)
    if (zone !== 'public' && hasAskedPublic) throw refusal(url, `a public server led to a ${zone} address`)
    return there
  }

  function addressesOf({ hostname }: URL): Promise<readonly Address[]> {
    const host = hostname.replace(/^\[|\]$/g, '')
    const known = pinned.get(host) ?? lookup(host)
    pinned.set(host, known)
    return known
  }

  function refusal(url: URL, reason: string): CapstanError {
    const what = `${url.protocol}//${url.host}${url.pathname}`
    return new CapstanError(
      'not_allowed',
      `Server "${server}" wants its login at ${what}, which is refused: ${reason}.`,
      {
        server,
        next: 'Do not log in there, unless you know why the server says so.',
      },
    )
  }

  function unreachableAt(url: URL, error: unknown): CapstanError {
    const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
    const isLate = error instanceof DOMException && error.name === 'TimeoutError'
    const reason = isLate ? `it did not answer within ${requestMs / 1000} s` : (code ?? messageOf(error))
    return new CapstanError('transport_failed', `The login of server "${server}" failed at ${url.origin}: ${reason}.`, {
      server,
      next: 'Check the network, and try again.',
    })
  }
}

/** Whether a server may name an address: public ones all, others only from the same zone, or from this very machine. */
function isWithin(zone: Zone, home: Zone): boolean {
  if (zone === 'public' || zone === 'reserved') return zone === 'public'
  return zone === home || (home === 'loopback' && zone === 'private')
}

/** A name with addresses of several kinds is up to something. */
function commonZone(addresses: readonly Address[]): Zone {
  const found = new Set(addresses.map(({ address }) => zoneOf(address)))
  const [only] = found
  return found.size === 1 && only !== undefined ? only : 'reserved'
}

async function lookUp(host: string): Promise<readonly Address[]> {
  const family = isIP(host)
  if (family !== 0) return [{ address: host, family }]
  const { lookup } = await import('node:dns/promises')
  return lookup(host, { all: true })
}

interface Sending {
  readonly addresses: readonly Address[]
  readonly signal: AbortSignal
}

/**
 * One exchange over `node:http`, because only there the address to connect to can be given. Redirects come back as they are.
 * It is loaded here: every cold call loads this file, and few need a login.
 */
async function send(url: URL, init: RequestInit, { addresses, signal }: Sending): Promise<Response> {
  const { request: open } = await (url.protocol === 'https:' ? import('node:https') : import('node:http'))
  const headers = new Headers(init.headers)
  const body = bodyOf(init.body, headers)
  headers.set('accept-encoding', 'identity')
  if (body !== undefined) headers.set('content-length', String(Buffer.byteLength(body)))
  const options: RequestOptions = {
    method: init.method ?? 'GET',
    headers: Object.fromEntries(headers),
    lookup: pinnedLookup(addresses),
    agent: false,
    signal,
  }
  return new Promise((resolve, reject) => {
    const request = open(url, options)
    request.on('error', (error) => reject(signal.aborted ? signal.reason : error))
    request.on('response', (response) => {
      const chunks: Buffer[] = []
      let size = 0
      response.on('error', reject)
      response.on('data', (chunk: Buffer) => {
        size += chunk.length
        if (size > maxBytes) request.destroy(new Error(`the answer is larger than ${maxBytes / 1024} KB`))
        else chunks.push(chunk)
      })
      response.on('end', () => {
        const status = response.statusCode ?? 0
        const received = new Headers(
          Object.entries(response.headersDistinct).flatMap(([name, values = []]) =>
            values.map((value): [string, string] => [name, value]),
          ),
        )
        const isWithoutBody = status === 204 || status === 205 || status === 304
        resolve(new Response(isWithoutBody ? null : Buffer.concat(chunks), { status, headers: received }))
      })
    })
    request.end(body)
  })
}

function bodyOf(body: RequestInit['body'], headers: Headers): string | undefined {
  if (body === undefined || body === null) return undefined
  if (body instanceof URLSearchParams) {
    if (!headers.has('content-type')) headers.set('content-type', 'application/x-www-form-urlencoded')
    return body.toString()
  }
  if (typeof body === 'string') return body
  throw new Error('only texts and forms are sent in a login')
}

function pinnedLookup(addresses: readonly Address[]): LookupFunction {
  return (_host, options, callback) => {
    if (options.all === true) callback(null, [...addresses])
    else callback(null, addresses[0]?.address ?? '', addresses[0]?.family)
  }
}
