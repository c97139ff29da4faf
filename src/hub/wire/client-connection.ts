import {
  ProtocolError,
  SseError,
  StreamableHTTPClientTransport,
  type Client,
  type RequestOptions as SdkRequestOptions,
  type StandardSchemaV1,
  type Tool,
  type Transport,
} from '@modelcontextprotocol/client'
import { CapstanError } from '../../errors.ts'
import type { Era, JsonObject, LogLine, ToolEntry } from '../api.ts'
import type { AskRoute, AskRoutes } from '../asks/route-asks.ts'
import { inRounds, type AnswerInputs } from '../asks/rounds.ts'
import { listAllPages, lists } from './client-lists.ts'
import type { Connection, RequestOptions, TransportKind } from './connection.ts'
import { startDeadline } from './deadline.ts'
import { resourceFollower } from '../follow-resource.ts'
import { headerFault } from './header-annotations.ts'
import { saysUnreachable } from './http-failure.ts'
import { isSessionLost, requestFailure } from './request-failure.ts'
import { retirable } from './retirable.ts'
import { resultBehind, type UnreadResults } from './unread-results.ts'
import { defaultRemoteWatch, watchRemote, type RemoteWatch } from './watch-remote.ts'

export interface OpenClient {
  readonly server: string
  readonly transport: Transport
  readonly transportKind: TransportKind
  readonly results: UnreadResults
  readonly asks: AskRoutes
  /** Answers the questions that come inside a result, as they do in the modern era. */
  readonly answerInputs: (inputs: JsonObject, route: AskRoute) => ReturnType<AnswerInputs>
  readonly ended: Promise<void>
  readonly onLog: (source: LogLine['source'], text: string) => void
  readonly remoteWatch?: RemoteWatch | undefined
  /** Why our own transport ended the connection, if it was us. */
  readonly failure?: (() => CapstanError | undefined) | undefined
}

/** Sends one request, within its limits, and tells a failure in our words. */
type Attempt = <Value>(
  method: string,
  options: RequestOptions,
  send: (sdk: SdkRequestOptions, route: AskRoute) => Promise<Value>,
) => Promise<Value>

/** A connected client as the hub uses it. */
export function connectionOver(client: Client, setup: OpenClient): Connection {
  const { server, transport, transportKind, results, asks, ended } = setup
  const { closed, track, retire } = retirable(ended, () => client.close())
  const isRemote = transportKind === 'http' || transportKind === 'sse'
  if (isRemote) retireWhenCutOff(client, retire)
  const era = client.getProtocolEra() === 'modern' ? 'modern' : 'legacy'
  const mirrorsHeaders = era === 'modern' && transportKind === 'http'
  const notRun = new WeakSet<CapstanError>()
  let underWay = 0
  const watched =
    isRemote &&
    watchRemote({
      watch: setup.remoteWatch ?? defaultRemoteWatch,
      ping: (signal) => ping(client, era, signal),
      isBusy: () => underWay > 0,
      onDead(reason) {
        setup.onLog('hub', `The connection is given up, because ${reason}.`)
        retire()
      },
      ended: closed,
    })

  const attempt: Attempt = async (method, options, send) => {
    underWay += 1
    using deadline = startDeadline(options)
    using route = asks.open(options, deadline)
    const onprogress: SdkRequestOptions['onprogress'] = (progress) => {
      deadline.touch()
      options.onProgress?.(progress)
    }
    try {
      const value = await track(send({ signal: deadline.signal, timeout: noLimit, onprogress }, route))
      if (watched) watched.heard()
      return value
    } catch (error) {
      // Nobody can tell a slow server from a dead connection: the next request gets a new one.
      if (isRemote && deadline.passed() !== undefined) retire()
      if (isRemote && (isSessionLost(error) || saysUnreachable(error))) retire()
      const told = setup.failure?.() ?? requestFailure(error, { server, method, options, passed: deadline.passed() })
      if (isSessionLost(error)) notRun.add(told)
      throw told
    } finally {
      underWay -= 1
    }
  }

  const request: Connection['request'] = (method, params, options) =>
    attempt(method, options, (sdk, route) =>
      inRounds(
        { server, params: withMeta(params, options), answer: (inputs) => setup.answerInputs(inputs, route) },
        (asked) => results.ask(() => client.request({ method, params: asked }, anyObject, manual(sdk))),
      ),
    )

  const callWithHeaders = (tool: ToolEntry, args: JsonObject, options: RequestOptions) =>
    attempt('tools/call', options, (sdk, route) =>
      inRounds(
        {
          server,
          params: withMeta({ name: tool.tool, arguments: args }, options),
          answer: (inputs) => setup.answerInputs(inputs, route),
        },
        (params) => callBySdk(client, { tool, params, sdk }),
      ),
    )

  return {
    era,
    protocolVersion: client.getNegotiatedProtocolVersion() ?? 'unknown',
    transport: transportKind,
    ...factsOf(client, transport),
    request,
    callTool: (tool, args, options) =>
      mirrorsHeaders && wantsHeaders(tool)
        ? callWithHeaders(tool, args, options)
        : request('tools/call', { name: tool.tool, arguments: args }, options),
    list: async (kind, options) => {
      const { method, field, capability } = lists[kind]
      if (client.getServerCapabilities()?.[capability] === undefined) return []
      const items = await listAllPages(
        (cursor) => request(method, cursor === undefined ? {} : { cursor }, options),
        field,
      )
      return kind === 'tools' && mirrorsHeaders ? items.filter((tool) => isOfferable(tool, setup.onLog)) : items
    },
    follow: resourceFollower(client, { server, era, closed, timeoutMs: followMs }),
    wasNotRun: (error) => error instanceof CapstanError && notRun.has(error),
    closed,
    ended,
    close: async () => {
      await endSession(transport)
      await client.close()
    },
  }
}

function withMeta(params: JsonObject, { meta }: RequestOptions): JsonObject {
  return meta === undefined ? params : { ...params, _meta: meta }
}

/** Any answer is a sign of life, a refusal too. */
async function ping(client: Client, era: Era, signal: AbortSignal): Promise<void> {
  const options = { signal, timeout: noLimit }
  try {
    await (era === 'modern' ? client.discover(options) : client.ping(options))
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error
  }
}

function isOfferable(tool: JsonObject, onLog: OpenClient['onLog']): boolean {
  const fault = headerFault(tool)
  if (fault !== undefined) onLog('hub', `Left out of tools, because ${fault}: ${JSON.stringify(tool['name'])}`)
  return fault === undefined
}

function factsOf(client: Client, transport: Transport) {
  const implementation = client.getServerVersion()
  const instructions = client.getInstructions()
  return {
    ...('pid' in transport && typeof transport.pid === 'number' ? { pid: transport.pid } : {}),
    ...(implementation === undefined
      ? {}
      : { implementation: { name: implementation.name, version: implementation.version } }),
    ...(instructions === undefined ? {} : { instructions }),
    completes: client.getServerCapabilities()?.completions !== undefined,
    hasSession: transport instanceof StreamableHTTPClientTransport && transport.sessionId !== undefined,
  }
}

/** The largest delay a timer takes: our deadline is the limit, not the SDK's. */
export const noLimit = 2 ** 31 - 1

/** How long a server may take to agree to tell of changes. */
const followMs = 30_000

/** The SDK would answer questions by itself, without knowing whose request they belong to. */
function manual(sdk: SdkRequestOptions): SdkRequestOptions {
  return { ...sdk, allowInputRequired: true }
}

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

function wantsHeaders(tool: ToolEntry): boolean {
  return JSON.stringify(tool.inputSchema).includes('"x-mcp-header"')
}

interface HeaderCall {
  readonly tool: ToolEntry
  readonly params: JsonObject
  readonly sdk: SdkRequestOptions
}

/** Only the SDK's `callTool` mirrors annotated arguments into headers; without the output schema it does not throw on bad output. */
async function callBySdk(client: Client, { tool, params, sdk }: HeaderCall): Promise<JsonObject> {
  const toolDefinition = { name: tool.tool, inputSchema: tool.inputSchema } as Tool
  const result = await client.callTool({ ...params, name: tool.tool }, { ...manual(sdk), toolDefinition })
  return result as JsonObject
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
