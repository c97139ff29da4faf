import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  LOG_LEVEL_META_KEY,
  type LoggingLevel,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { createHash } from 'node:crypto'
import { canonicalJson } from '../config/canonical-json.ts'
import type { Era, JsonObject } from '../hub/api.ts'
import type { Exchange, Round } from './exchange.ts'
import { isWanted } from './log-level.ts'
import { askableOf, askRequest, readAnswer, type OnClientAsk } from './wire-asks.ts'

export interface ExchangeSetup {
  readonly server: Server
  readonly era: Era
  /** Whether a question says which server asks it. */
  readonly saysServer: boolean
  readonly passesLogs: () => boolean
  /** From which level on a client up to 2025-11-25 wants to hear what servers log, once it has said so. */
  readonly levelOfSession: () => LoggingLevel | undefined
  readonly note: (text: string) => void
}

type McpRequest = ServerContext['mcpReq']

/** A request as the SDK hands it over, without the SDK. A client says who it is once, or with every request since 2026-07-28. */
export function readExchange(request: McpRequest, params: object, setup: ExchangeSetup): Exchange {
  const { server, era, passesLogs, levelOfSession, note } = setup
  const envelope: Readonly<Record<string, unknown>> = { ...request.envelope }
  const progressToken = request._meta?.progressToken
  const notify = (sending: Promise<void>) => void sending.catch((error: unknown) => note(String(error)))
  return {
    client: nameOf(envelope[CLIENT_INFO_META_KEY] ?? server.getClientVersion()),
    signal: request.signal,
    askable: askableOf(envelope[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities()),
    meta: passedMeta(request, passesLogs() ? (envelope[LOG_LEVEL_META_KEY] ?? levelOfSession()) : undefined),
    log: (level, text, logger) => {
      if (passesLogs() && isWanted(level, levelOfSession())) notify(request.log(level, text, logger))
    },
    ...(progressToken === undefined
      ? {}
      : {
          onProgress: (progress) =>
            notify(request.notify({ method: 'notifications/progress', params: { progressToken, ...progress } })),
        }),
    ...(era === 'legacy' ? { ask: askDirectly(request, setup) } : { round: roundOf(request, params) }),
  }
}

/** Our own limits hold, not the SDK's. */
const longestTimer = 2 ** 31 - 1

/** Up to 2025-11-25 a client is asked in the middle of its request. */
function askDirectly(request: McpRequest, { saysServer }: ExchangeSetup): OnClientAsk {
  return async (ask, { signal }) => {
    const { method, params } = askRequest(ask, { saysServer })
    const withId = ask.kind === 'url' ? { ...params, elicitationId: crypto.randomUUID() } : params
    return readAnswer(ask, await request.send({ method, params: withId }, { signal, timeout: longestTimer }))
  }
}

function roundOf({ method, inputResponses, requestState }: McpRequest, params: object): Round {
  const { _meta, ...named } = params as Readonly<Record<string, unknown>>
  const state: unknown = requestState()
  return {
    // A client may write the same arguments in another order when it comes again.
    request: createHash('sha256')
      .update(canonicalJson([method, named]))
      .digest('base64url'),
    answers: inputResponses ?? {},
    ...(typeof state === 'string' ? { state } : {}),
  }
}

/**
 * The trace goes on to the server, and the level from which the client wants to hear what it logs. Nothing else: `baggage` in
 * particular may hold what is nobody's business.
 */
function passedMeta({ _meta }: McpRequest, level: unknown): JsonObject {
  const { traceparent, tracestate } = { ..._meta } as Readonly<Record<string, unknown>>
  const isTraced = typeof traceparent === 'string' && traceForm.test(traceparent)
  return {
    ...(isTraced ? { traceparent } : {}),
    ...(isTraced && typeof tracestate === 'string' && tracestate.length <= 512 ? { tracestate } : {}),
    ...(typeof level === 'string' ? { [LOG_LEVEL_META_KEY]: level } : {}),
  }
}

const traceForm = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/

function nameOf(info: unknown): string {
  const name = typeof info === 'object' && info !== null && 'name' in info ? info.name : undefined
  return typeof name === 'string' ? name.slice(0, 80) : 'unknown'
}
