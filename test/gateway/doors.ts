import {
  Client,
  InMemoryTransport,
  StreamableHTTPClientTransport,
  type ClientOptions,
} from '@modelcontextprotocol/client'
import { join } from 'node:path'
import { openAudit, type Audit } from '../../src/gateway/audit.ts'
import type { Caller } from '../../src/gateway/caller.ts'
import { openGateway, type Gateway, type GatewayOptions } from '../../src/gateway/gateway.ts'
import { defaultLimits, type HttpLimits } from '../../src/gateway/http/limits.ts'
import { listenHttp, type HttpDoor, type HttpOptions } from '../../src/gateway/http/listen.ts'
import { serveConnection } from '../../src/gateway/serve-connection.ts'
import { openTestHub, type Maker, type Servers, type TestHub } from '../hub/makers.ts'

export type EraName = 'legacy' | 'modern'
export const eras = ['legacy', 'modern'] as const

export interface Bench extends AsyncDisposable {
  readonly hub: TestHub
  readonly gateway: Gateway
  readonly audit: Audit
  readonly auditFile: string
  readonly notes: readonly string[]
}

interface HubWishes {
  /** How the hub behind the gateway is opened. */
  readonly hubOptions?: Parameters<Maker>[1]
}

export const everyone: Caller = { name: 'local', rules: [], mode: 'all' }

/** A gateway over fixture servers. */
export async function openBench(
  servers: Servers,
  { hubOptions, ...options }: Partial<GatewayOptions> & HubWishes = {},
): Promise<Bench> {
  const hub = await openTestHub(servers, hubOptions)
  const notes: string[] = []
  const auditFile = join(hub.home, 'audit.jsonl')
  const audit = openAudit({
    file: auditFile,
    withArguments: () => false,
    onFailure: (error) => notes.push(String(error)),
  })
  const gateway = openGateway({ openHub: () => hub, audit, note: (text) => notes.push(text), ...options })
  return {
    hub,
    gateway,
    audit,
    auditFile,
    notes,
    async [Symbol.asyncDispose]() {
      gateway[Symbol.dispose]()
      await audit.settled()
      await hub[Symbol.asyncDispose]()
    },
  }
}

export function clientOptions(era: EraName, more: ClientOptions = {}): ClientOptions {
  return { versionNegotiation: { mode: era === 'legacy' ? 'legacy' : { pin: '2026-07-28' } }, ...more }
}

export interface ConnectWishes {
  readonly caller?: Caller
  readonly options?: ClientOptions
  readonly token?: string
  readonly prepare?: (client: Client) => void
}

export interface Connected extends AsyncDisposable {
  readonly client: Client
}

/** A client of the given era at the end of a connection, as over stdio. */
export async function connect(
  gateway: Gateway,
  era: EraName,
  { caller = everyone, options = {}, prepare }: ConnectWishes = {},
): Promise<Connected> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  const ended = Promise.withResolvers<void>()
  const transport = Object.assign(theirs, { ended: ended.promise })
  const over = new AbortController()
  const serving = serveConnection(gateway, { transport, caller, signal: over.signal, note: () => {} })
  const client = new Client({ name: 'test', version: '1' }, clientOptions(era, options))
  prepare?.(client)
  await client.connect(ours)
  return {
    client,
    async [Symbol.asyncDispose]() {
      await client.close()
      over.abort()
      ended.resolve()
      await serving
    },
  }
}

export interface HttpBench extends Bench {
  readonly door: HttpDoor
  readonly url: URL
}

/** The same over HTTP, on a port of its own. */
export async function openHttpBench(
  servers: Servers,
  { http = {}, limits = {}, ...options }: Partial<GatewayOptions> & HttpWishes & HubWishes = {},
): Promise<HttpBench> {
  const bench = await openBench(servers, options)
  const door = await listenHttp(bench.gateway, {
    address: { host: '127.0.0.1', port: 0 },
    identify: () => everyone,
    hasKeys: false,
    hosts: [],
    origins: [],
    limits: { ...defaultLimits, ...limits },
    note: () => {},
    ...http,
  })
  return {
    ...bench,
    door,
    url: new URL('/mcp', door.url),
    async [Symbol.asyncDispose]() {
      await door[Symbol.asyncDispose]()
      await bench[Symbol.asyncDispose]()
    },
  }
}

export interface HttpWishes {
  readonly http?: Partial<HttpOptions>
  readonly limits?: Partial<HttpLimits>
}

export async function connectHttp(
  url: URL,
  era: EraName,
  { options = {}, prepare, token }: ConnectWishes = {},
): Promise<Connected> {
  const client = new Client({ name: 'test', version: '1' }, clientOptions(era, options))
  prepare?.(client)
  const requestInit = token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }))
  return { client, [Symbol.asyncDispose]: () => client.close() }
}
