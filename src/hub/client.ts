import {
  Client,
  SSEClientTransport,
  SseError,
  StreamableHTTPClientTransport,
  type ClientOptions,
  type RequestOptions as SdkRequestOptions,
  type StandardSchemaV1,
  type Tool,
  type Transport,
} from '@modelcontextprotocol/client'
import type { RemoteServer } from '../config/types.ts'
import { CapstanError } from '../errors.ts'
import { places } from '../files/places.ts'
import { version } from '../version.ts'
import { serverAuth } from './auth/server-auth.ts'
import { authStore } from './auth/auth-store.ts'
import { saysUnreachable } from './http-failure.ts'
import { isSessionLost, protocolCode, requestFailure } from './request-failure.ts'
import { retirable } from './retirable.ts'
import { tapTransport, type Onlooker, type Tap } from './tap-transport.ts'
import { resultBehind, unreadResults, type UnreadResults } from './unread-results.ts'
import type { JsonObject, ListKind, LogLine, ToolEntry } from './api.ts'
import type { Connection, RequestOptions, TransportKind } from './connection.ts'

export interface ClientSetup {
  readonly server: string
  readonly transport: Transport
  readonly transportKind: TransportKind
  /** `auto` probes for the modern era and falls back; `legacy` goes straight to `initialize`. */
  readonly mode: 'auto' | 'legacy'
  /** The start deadline. */
  readonly signal: AbortSignal
  readonly onListChanged: (kind: ListKind) => void
  readonly onLog: (source: LogLine['source'], text: string) => void
  readonly tap?: Tap | undefined
  /** Why our own transport ended the connection, if it was us. */
  readonly failure?: (() => CapstanError | undefined) | undefined
}

export interface RemoteSetup {
  readonly name: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly onLog: (source: LogLine['source'], text: string) => void
}

/** The transport of a remote server, which sends the token of its login. Here, because the SDK is loaded in one place. */
export function openRemote(kind: 'http' | 'sse', server: RemoteServer, { name, env, onLog }: RemoteSetup): Transport {
  const note = (text: string) => onLog('hub', text)
  const store = authStore({ folder: places(env).state, onLog: note })
  const RemoteTransport = kind === 'http' ? StreamableHTTPClientTransport : SSEClientTransport
  return new RemoteTransport(new URL(server.url), {
    requestInit: { headers: { ...server.headers } },
    fetch: serverAuth({ name, server, store, onLog: note }),
  })
}

const probeMs = 5000
const debounceMs = 50

export async function openClient(setup: ClientSetup): Promise<Connection> {
  const client = new Client({ name: 'capstan', version }, clientOptions(setup))
  const results = unreadResults()
  tapTransport(setup.transport, onlookers(setup, results))
  const closed = new Promise<void>((resolve) => {
    client.onclose = resolve
  })
  // Out-of-band trouble, such as a late answer to a cancelled request, concerns no caller: it goes to the log.
  client.onerror = (error) => setup.onLog('hub', error.message)
  client.setNotificationHandler('notifications/message', ({ params }) => {
    setup.onLog(
      'message',
      `${params.level}: ${typeof params.data === 'string' ? params.data : JSON.stringify(params.data)}`,
    )
  })

  await client.connect(setup.transport, { signal: setup.signal, timeout: maxDelayMs })
  return connectionOver(client, { ...setup, results, ended: closed })
}

function onlookers({ server, tap }: ClientSetup, results: UnreadResults): Onlooker {
  return {
    onSent(message) {
      tap?.(server, 'sent', message)
      results.onSent(message)
    },
    onReceived(message) {
      tap?.(server, 'received', message)
      return results.onReceived(message)
    },
  }
}

/** The largest delay a timer takes: for "no limit here, the signal is the limit". */
const maxDelayMs = 2 ** 31 - 1

function clientOptions({ mode, onListChanged }: ClientSetup): ClientOptions {
  const announce = (...kinds: readonly ListKind[]) => ({
    autoRefresh: false,
    debounceMs,
    onChanged: () => kinds.forEach(onListChanged),
  })
  return {
    capabilities: {},
    versionNegotiation: { mode, probe: { timeoutMs: probeMs } },
    listChanged: {
      tools: announce('tools'),
      prompts: announce('prompts'),
      resources: announce('resources', 'templates'),
    },
  }
}

interface OpenClient extends ClientSetup {
  readonly results: UnreadResults
  readonly ended: Promise<void>
}

function connectionOver(client: Client, setup: OpenClient): Connection {
  const { server, transport, transportKind, results, ended } = setup
  const { closed, track, retire } = retirable(ended, () => client.close())
  if (isRemote(transportKind)) retireWhenCutOff(client, retire)
  const implementation = client.getServerVersion()
  const instructions = client.getInstructions()
  const era = client.getProtocolEra() === 'modern' ? 'modern' : 'legacy'

  const notRun = new WeakSet<CapstanError>()
  const attempt: Attempt = async (method, options, send) => {
    try {
      return await track(send(sdkOptions(options)))
    } catch (error) {
      if (isRemote(transportKind) && (isSessionLost(error) || saysUnreachable(error))) retire()
      const told = setup.failure?.() ?? requestFailure(error, { server, method, options })
      if (isSessionLost(error)) notRun.add(told)
      throw told
    }
  }
  const request: Connection['request'] = (method, params, options) =>
    attempt(method, options, async (sdk) => results.ask(() => client.request({ method, params }, anyObject, sdk)))

  return {
    era,
    protocolVersion: client.getNegotiatedProtocolVersion() ?? 'unknown',
    transport: transportKind,
    ...('pid' in transport && typeof transport.pid === 'number' ? { pid: transport.pid } : {}),
    ...(implementation === undefined
      ? {}
      : { implementation: { name: implementation.name, version: implementation.version } }),
    ...(instructions === undefined ? {} : { instructions }),
    hasSession: transport instanceof StreamableHTTPClientTransport && transport.sessionId !== undefined,
    completes: client.getServerCapabilities()?.completions !== undefined,
    request,
    callTool: (tool, args, options) => {
      const params = { name: tool.tool, arguments: args }
      const needsHeaders =
        era === 'modern' && transportKind === 'http' && JSON.stringify(tool.inputSchema).includes('"x-mcp-header"')
      return needsHeaders
        ? attempt('tools/call', options, (sdk) => callWithHeaders(client, { tool, params, sdk }))
        : request('tools/call', params, options)
    },
    list: async (kind, options) => {
      const { method, field, capability } = lists[kind]
      if (client.getServerCapabilities()?.[capability] === undefined) return []
      // On modern HTTP the SDK must see the tools: it drops those whose header annotations are invalid, as the spec demands.
      if (kind === 'tools' && era === 'modern' && transportKind === 'http')
        return attempt('tools/list', options, (sdk) => listToolsBySdk(client, sdk))
      return listAllPages((cursor) => request(method, cursor === undefined ? {} : { cursor }, options), field)
    },
    wasNotRun: (error) => error instanceof CapstanError && notRun.has(error),
    closed,
    ended,
    close: async () => {
      await endSession(transport)
      await client.close()
    },
  }
}

const goodbyeMs = 1000

/** A server keeps a session until it is told of its end; but whoever closes does not wait long for it. */
async function endSession(transport: Transport): Promise<void> {
  if (!(transport instanceof StreamableHTTPClientTransport) || transport.sessionId === undefined) return
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, goodbyeMs)
  })
  // The server may not know the session any more, or not be there: then there is nothing to end.
  await Promise.race([transport.terminateSession().catch(() => {}), late])
  clearTimeout(timer)
}

/** Sends one request and tells a failure in our words. */
type Attempt = <Value>(
  method: string,
  options: RequestOptions,
  send: (sdk: SdkRequestOptions) => Promise<Value>,
) => Promise<Value>

function isRemote(kind: TransportKind): boolean {
  return kind === 'http' || kind === 'sse'
}

/** Remote streams end without a word to the requests; after that no change of a list would reach us. */
function retireWhenCutOff(client: Client, retire: () => void): void {
  void client.autoOpenedSubscription?.closed.then(retire)
  const { onerror } = client
  client.onerror = (error) => {
    onerror?.(error)
    // The SDK opens the stream again, but on a session that the server does not know.
    if (error instanceof SseError) retire()
  }
}

const lists = {
  tools: { method: 'tools/list', field: 'tools', capability: 'tools' },
  prompts: { method: 'prompts/list', field: 'prompts', capability: 'prompts' },
  resources: { method: 'resources/list', field: 'resources', capability: 'resources' },
  templates: { method: 'resources/templates/list', field: 'resourceTemplates', capability: 'resources' },
} as const satisfies Record<ListKind, { method: string; field: string; capability: string }>

/**
 * Accepts any object. The SDK's own result schemas refuse a whole listing for one odd tool, and a whole result for a content
 * kind they do not know; we pass on what the server said and check the parts we use.
 */
const anyObject: StandardSchemaV1<unknown, JsonObject> = {
  '~standard': {
    version: 1,
    vendor: 'capstan',
    validate: (value) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? { value: resultBehind(value) as JsonObject }
        : { issues: [{ message: 'the result is not an object' }] },
  },
}

function sdkOptions({ signal, idleMs, maxMs, onProgress }: RequestOptions): SdkRequestOptions {
  return {
    ...(signal === undefined ? {} : { signal }),
    timeout: Math.min(idleMs, maxMs),
    maxTotalTimeout: maxMs,
    resetTimeoutOnProgress: true,
    // Always asked for, because progress is also the sign of life that extends the idle limit.
    onprogress: (progress) => onProgress?.(progress),
  }
}

const maxPages = 1000

async function listAllPages(
  page: (cursor?: string) => Promise<JsonObject>,
  field: string,
): Promise<readonly JsonObject[]> {
  let items: readonly JsonObject[] = []
  const seen = new Set<string>()
  let cursor: string | undefined
  do {
    const result = await pageOrNothing(page, cursor)
    const found = result[field]
    if (Array.isArray(found)) items = items.concat(found.filter(isObject))
    cursor = typeof result['nextCursor'] === 'string' ? result['nextCursor'] : undefined
    // A server that hands out the same cursor again would keep us for ever.
    if (cursor !== undefined && seen.has(cursor)) break
    if (cursor !== undefined) seen.add(cursor)
  } while (cursor !== undefined && seen.size < maxPages)
  return items
}

async function pageOrNothing(
  page: (cursor?: string) => Promise<JsonObject>,
  cursor: string | undefined,
): Promise<JsonObject> {
  try {
    return await page(cursor)
  } catch (error) {
    // Servers declare "resources" and do not know templates: that is an empty list, not a failure.
    if (error instanceof CapstanError && protocolCode(error.cause) === methodNotFound) return {}
    throw error
  }
}

const methodNotFound = -32601

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

async function listToolsBySdk(client: Client, sdk: SdkRequestOptions): Promise<readonly JsonObject[]> {
  const { tools } = await client.listTools(undefined, { ...sdk, cacheMode: 'refresh' })
  return tools as readonly JsonObject[]
}

interface HeaderCall {
  readonly tool: ToolEntry
  readonly params: { readonly name: string; readonly arguments: JsonObject }
  readonly sdk: SdkRequestOptions
}

/** Only the SDK's `callTool` mirrors annotated arguments into headers; without the output schema it does not throw on bad output. */
async function callWithHeaders(client: Client, { tool, params, sdk }: HeaderCall): Promise<JsonObject> {
  const toolDefinition = { name: tool.tool, inputSchema: tool.inputSchema } as Tool
  const result = await client.callTool({ ...params }, { ...sdk, toolDefinition })
  return result as JsonObject
}
