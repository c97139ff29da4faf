import {
  SUPPORTED_PROTOCOL_VERSIONS,
  type JSONRPCMessage,
  type RequestId,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/server'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { openAnswer, openStream, type Answer, type MessageStream } from './answers.ts'
import { cancelledIn, isMessage, isRequest, isResponse } from './messages.ts'
import type { Refusal } from './refusal.ts'

export interface SessionVisit {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** The parsed body of a POST. */
  readonly body: unknown
  /** What every answer carries besides. */
  readonly headers: Readonly<Record<string, string>>
  /** Waits for a client that does not read as fast as it is written to, or cuts it off. */
  readonly drained: () => Promise<void>
}

/**
 * One session of a client up to 2025-11-25, straight on Node's requests and responses. The SDK's own transport makes web requests,
 * responses and streams of them, which is a fifth of what a call costs (docs/performance.md).
 */
export interface SessionTransport extends Transport {
  readonly sessionId: string
  /** Serves a request of this session, or says why not. */
  readonly serve: (visit: SessionVisit) => Refusal | undefined
}

const mostMessages = 100
const bothKinds = ['application/json', 'text/event-stream'] as const

export function sessionTransport(sessionId: string): SessionTransport {
  /** By the request that waits. */
  const answers = new Map<RequestId, Answer>()
  let listening: MessageStream | undefined
  let isClosed = false

  const transport: SessionTransport = {
    sessionId,
    serve(visit) {
      const { method } = visit.request
      const problem = isClosed ? sessionNotFound : versionProblem(visit.request)
      if (problem !== undefined) return problem
      if (method === 'POST') return take(visit)
      if (method === 'GET') return listen(visit)
      visit.response.writeHead(200, visit.headers).end()
      void transport.close()
      return undefined
    },
    start: async () => {},
    send,
    async close() {
      if (isClosed) return
      isClosed = true
      listening?.end()
      listening = undefined
      for (const answer of answers.values()) answer.giveUp()
      answers.clear()
      transport.onclose?.()
    },
  }
  return transport

  function listen({ request, response, headers, drained }: SessionVisit): Refusal | undefined {
    const problem = acceptProblem(request, ['text/event-stream'])
    if (problem !== undefined) return problem
    if (listening !== undefined) return { status: 409, message: 'Conflict: Only one SSE stream is allowed per session' }
    const stream = openStream({ response, headers: ownHeaders(headers), drained })
    listening = stream
    response.once('close', () => {
      if (listening === stream) listening = undefined
    })
    return undefined
  }

  function take({ request, response, body, headers, drained }: SessionVisit): Refusal | undefined {
    const messages = Array.isArray(body) ? (body as readonly unknown[]) : [body]
    const problem = acceptProblem(request, bothKinds) ?? batchProblem(messages)
    if (problem !== undefined) return problem
    if (!messages.every(isMessage)) return notJsonRpc
    const ids = messages.filter(isRequest).map(({ id }) => id)
    if (ids.length === 0) response.writeHead(202, headers).end()
    else awaitAll(ids, response, openAnswer(ids, { response, headers: ownHeaders(headers), drained }))
    for (const message of messages) {
      transport.onmessage?.(message)
      const cancelled = cancelledIn(message)
      // No answer will come of it, and nobody should have to wait for that.
      if (cancelled !== undefined) taken(cancelled)?.drop(cancelled)
    }
    return undefined
  }

  function awaitAll(ids: readonly RequestId[], response: ServerResponse, answer: Answer): void {
    for (const id of ids) answers.set(id, answer)
    response.once('close', () => {
      for (const id of ids) if (answers.get(id) === answer) answers.delete(id)
    })
  }

  /** Once a request has its end, whatever is still said to it comes too late. */
  function taken(id: RequestId): Answer | undefined {
    const answer = answers.get(id)
    answers.delete(id)
    return answer
  }

  /** What belongs to no request goes to the stream that listens; where there is none, nobody wanted to know. */
  async function send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if (isResponse(message)) return message.id === undefined ? undefined : taken(message.id)?.finish(message)
    const id = options?.relatedRequestId
    return id === undefined ? listening?.send(message) : answers.get(id)?.send(message)
  }

  function ownHeaders(headers: SessionVisit['headers']): SessionVisit['headers'] {
    return { 'mcp-session-id': sessionId, ...headers }
  }
}

export const sessionNotFound: Refusal = { status: 404, code: -32_001, message: 'Session not found' }
const notJsonRpc: Refusal = { status: 400, code: -32_700, message: 'Parse error: Invalid JSON-RPC message' }

/** Whether a request is of a version that has sessions. */
export function hasKnownVersion({ headers }: IncomingMessage): boolean {
  const version = headers['mcp-protocol-version']
  return version === undefined || SUPPORTED_PROTOCOL_VERSIONS.some((known) => known === version)
}

function versionProblem(request: IncomingMessage): Refusal | undefined {
  if (hasKnownVersion(request)) return undefined
  const version = request.headers['mcp-protocol-version']
  const supported = SUPPORTED_PROTOCOL_VERSIONS.join(', ')
  const message = `Bad Request: Unsupported protocol version: ${String(version)} (supported versions: ${supported})`
  return { status: 400, message }
}

function acceptProblem({ headers }: IncomingMessage, kinds: readonly string[]): Refusal | undefined {
  if (kinds.every((kind) => headers.accept?.includes(kind) === true)) return undefined
  return { status: 406, message: `Not Acceptable: Client must accept ${kinds.join(' and ')}` }
}

function batchProblem({ length }: readonly unknown[]): Refusal | undefined {
  if (length === 0) return notJsonRpc
  if (length <= mostMessages) return undefined
  return { status: 400, code: -32_600, message: `Invalid Request: Batch must not exceed ${mostMessages} messages` }
}
