import {
  Client,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  type ClientOptions,
  type RequestOptions as SdkRequestOptions,
  type StandardSchemaV1,
  type Tool,
  type Transport,
} from '@modelcontextprotocol/client'
import { CapstanError, messageOf, stopped, type CapstanErrorCode } from '../errors.ts'
import { version } from '../version.ts'
import type { Era, JsonObject, ListKind, LogLine, Progress, ToolEntry } from './api.ts'

export type TransportKind = 'stdio' | 'http' | 'sse' | 'memory'

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
  /** Why our own transport ended the connection, if it was us. */
  readonly failure?: (() => CapstanError | undefined) | undefined
}

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined
  /** Time without a sign of life; progress extends it. */
  readonly idleMs: number
  /** Time in all. */
  readonly maxMs: number
  readonly onProgress?: ((progress: Progress) => void) | undefined
  /** Of a list: ask the server, even where a shared connection has the answer. */
  readonly fresh?: boolean | undefined
}

/** One live connection to one server. What it throws is translated: nobody above sees an SDK error. */
export interface Connection {
  readonly era: Era
  readonly protocolVersion: string
  readonly transport: TransportKind
  readonly pid?: number
  readonly implementation?: { readonly name: string; readonly version: string }
  readonly instructions?: string
  readonly completes: boolean
  readonly request: (method: string, params: JsonObject, options: RequestOptions) => Promise<JsonObject>
  readonly callTool: (tool: ToolEntry, args: JsonObject, options: RequestOptions) => Promise<JsonObject>
  /** All pages of one list; empty when the server does not offer that kind. */
  readonly list: (kind: ListKind, options: RequestOptions) => Promise<readonly JsonObject[]>
  /** Resolves when the connection has ended, by whoever's hand. */
  readonly closed: Promise<void>
  readonly close: () => Promise<void>
}

const probeMs = 5000
const debounceMs = 50

export async function openClient(setup: ClientSetup): Promise<Connection> {
  const client = new Client({ name: 'capstan', version }, clientOptions(setup))
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
  return connectionOver(client, setup, closed)
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

function connectionOver(client: Client, setup: ClientSetup, closed: Promise<void>): Connection {
  const { server, transport, transportKind } = setup
  const implementation = client.getServerVersion()
  const instructions = client.getInstructions()
  const era = client.getProtocolEra() === 'modern' ? 'modern' : 'legacy'

  const request: Connection['request'] = async (method, params, options) => {
    try {
      return await client.request({ method, params }, anyObject, sdkOptions(options))
    } catch (error) {
      throw setup.failure?.() ?? translateError(error, { server, method, options })
    }
  }

  return {
    era,
    protocolVersion: client.getNegotiatedProtocolVersion() ?? 'unknown',
    transport: transportKind,
    ...('pid' in transport && typeof transport.pid === 'number' ? { pid: transport.pid } : {}),
    ...(implementation === undefined
      ? {}
      : { implementation: { name: implementation.name, version: implementation.version } }),
    ...(instructions === undefined ? {} : { instructions }),
    completes: client.getServerCapabilities()?.completions !== undefined,
    request,
    callTool: (tool, args, options) => {
      const params = { name: tool.tool, arguments: args }
      const needsHeaders =
        era === 'modern' && transportKind === 'http' && JSON.stringify(tool.inputSchema).includes('"x-mcp-header"')
      return needsHeaders
        ? callWithHeaders(client, { tool, params, options, server })
        : request('tools/call', params, options)
    },
    list: async (kind, options) => {
      const { method, field, capability } = lists[kind]
      if (client.getServerCapabilities()?.[capability] === undefined) return []
      // On modern HTTP the SDK must see the tools: it drops those whose header annotations are invalid, as the spec demands.
      if (kind === 'tools' && era === 'modern' && transportKind === 'http')
        return listToolsBySdk(client, server, options)
      return listAllPages((cursor) => request(method, cursor === undefined ? {} : { cursor }, options), field)
    },
    closed,
    close: () => client.close(),
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
        ? { value: value as JsonObject }
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
  const items: JsonObject[] = []
  const seen = new Set<string>()
  let cursor: string | undefined
  do {
    const result = await pageOrNothing(page, cursor)
    const found = result[field]
    if (Array.isArray(found)) items.push(...found.filter(isObject))
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

async function listToolsBySdk(client: Client, server: string, options: RequestOptions): Promise<readonly JsonObject[]> {
  try {
    const { tools } = await client.listTools(undefined, { ...sdkOptions(options), cacheMode: 'refresh' })
    return tools as readonly JsonObject[]
  } catch (error) {
    throw translateError(error, { server, method: 'tools/list', options })
  }
}

interface HeaderCall {
  readonly server: string
  readonly tool: ToolEntry
  readonly params: { readonly name: string; readonly arguments: JsonObject }
  readonly options: RequestOptions
}

/** Only the SDK's `callTool` mirrors annotated arguments into headers; without the output schema it does not throw on bad output. */
async function callWithHeaders(client: Client, { server, tool, params, options }: HeaderCall): Promise<JsonObject> {
  const toolDefinition = { name: tool.tool, inputSchema: tool.inputSchema } as Tool
  try {
    const result = await client.callTool({ ...params }, { ...sdkOptions(options), toolDefinition })
    return result as JsonObject
  } catch (error) {
    throw translateError(error, { server, method: 'tools/call', options })
  }
}

interface Attempt {
  readonly server: string
  readonly method: string
  readonly options: RequestOptions
}

function translateError(error: unknown, { server, method, options }: Attempt): CapstanError {
  const { signal, idleMs, maxMs } = options
  if (signal?.aborted) return stopped(signal, `${method} at server "${server}"`, server)
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) {
    const limit =
      maxMs <= idleMs
        ? `did not finish in ${maxMs / 1000} s`
        : `gave no sign of life for ${idleMs / 1000} s (or took over ${maxMs / 1000} s in all)`
    return new CapstanError('timed_out', `Server "${server}" ${limit} on ${method}.`, {
      server,
      cause: error,
      next: 'Raise "timeout" or "maxTimeout" (seconds) of the server, or pass --timeout.',
    })
  }
  if (error instanceof ProtocolError) {
    const message = `Server "${server}" refused ${method}: ${error.message} (code ${error.code})`
    return new CapstanError(refusal(method, error.code), message, { server, cause: error })
  }
  const isCall = method === 'tools/call'
  const outcome = isCall ? ' Whether the tool ran is unknown; it was not repeated.' : ''
  const message = `The connection to server "${server}" was lost during ${method}: ${messageOf(error)}.${outcome}`
  return new CapstanError(isCall ? 'outcome_unknown' : 'transport_failed', message, {
    server,
    cause: error,
    next: `Run: capstan doctor ${server}`,
  })
}

/** What a JSON-RPC error means, given that the name was found in the catalogue before anything was sent. */
function refusal(method: string, code: number): CapstanErrorCode {
  if (method === 'resources/read')
    return code === invalidParams || code === resourceNotFound ? 'resource_unknown' : 'resource_unreadable'
  return code === invalidParams ? 'arguments_invalid' : 'server_error'
}

const invalidParams = -32602
const resourceNotFound = -32002

/** The JSON-RPC code a server refused with, if it did. */
function protocolCode(error: unknown): number | undefined {
  return error instanceof ProtocolError ? error.code : undefined
}
