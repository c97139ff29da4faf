import { isInitializeRequest, type Server } from '@modelcontextprotocol/server'
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isObject } from '../../json.ts'
import type { Caller } from '../caller.ts'
import type { Gateway } from '../gateway.ts'
import type { HttpLimits } from './limits.ts'
import type { Refusal } from './refusal.ts'
import {
  hasKnownVersion,
  sessionNotFound,
  sessionTransport,
  type SessionTransport,
  type SessionVisit,
} from './session-transport.ts'

/** The sessions of clients up to 2025-11-25: they keep a connection in mind, so that servers can ask them things. */
export interface Sessions extends AsyncDisposable {
  /** Whether a request surely belongs to a session that this caller has. */
  readonly has: (request: IncomingMessage, caller: Caller) => boolean
  /** Serves a request, or says why not. */
  readonly serve: (visit: SessionVisit, caller: Caller) => Promise<Refusal | undefined>
  readonly count: () => number
  /** Ends all sessions of a caller. */
  readonly end: (caller: string) => Promise<void>
}

interface OpenSession {
  readonly caller: string
  readonly transport: SessionTransport
  readonly close: () => Promise<void>
  /** Requests and streams that are open. */
  usedAtMs: number
}

interface SessionSetup {
  readonly gateway: Gateway
  readonly limits: Pick<HttpLimits, 'sessions' | 'sessionsOfOne' | 'sessionIdleMs'>
  readonly now: () => number
}

export function httpSessions({ gateway, limits, now }: SessionSetup): Sessions {
  const open = new Map<string, OpenSession>()
  const sweeping = setInterval(sweep, Math.min(60_000, limits.sessionIdleMs)).unref()

  return {
    // Since 2026-07-28 a session named by mistake means nothing.
    has: (request, caller) => hasKnownVersion(request) && sessionOf(request, caller) !== undefined,
    async serve(visit, caller) {
      const { request, body } = visit
      const isNew = request.headers['mcp-session-id'] === undefined
      if (isNew) return isInitializeRequest(body) ? begin(visit, caller) : notBegun
      const session = sessionOf(request, caller)
      if (session === undefined) return sessionNotFound
      if (isObject(body) && body['method'] === 'initialize') return begunAlready
      session.usedAtMs = now()
      return session.transport.serve(visit)
    },
    count: () => open.size,
    async end(caller) {
      const theirs = [...open.values()].filter((session) => session.caller === caller)
      await Promise.all(theirs.map((session) => session.close()))
    },
    async [Symbol.asyncDispose]() {
      clearInterval(sweeping)
      await Promise.all([...open.values()].map((session) => session.close()))
    },
  }

  /** The session of somebody else is not there, as far as they are told. */
  function sessionOf({ headers }: IncomingMessage, caller: Caller): OpenSession | undefined {
    const session = open.get(String(headers['mcp-session-id']))
    return session?.caller === caller.name ? session : undefined
  }

  async function begin(visit: SessionVisit, caller: Caller): Promise<Refusal | undefined> {
    const full = whyFull(caller.name)
    if (full !== undefined) return full
    const { server } = await gateway.openSession(caller).connect('legacy')
    const transport = sessionTransport(randomUUID())
    await server.connect(transport)
    keep(transport, server, caller)
    return transport.serve(visit)
  }

  function keep(transport: SessionTransport, server: Server, caller: Caller): void {
    const { sessionId } = transport
    const { onclose } = server
    server.onclose = () => {
      onclose?.()
      open.delete(sessionId)
    }
    open.set(sessionId, { caller: caller.name, transport, close: () => server.close(), usedAtMs: now() })
  }

  function whyFull(caller: string): Refusal | undefined {
    const own = [...open.values()].filter((session) => session.caller === caller).length
    if (open.size < limits.sessions && own < limits.sessionsOfOne) return undefined
    sweep()
    return { status: 503, message: 'Too many sessions are open.', headers: { 'retry-after': '30' } }
  }

  function sweep(): void {
    const before = now() - limits.sessionIdleMs
    for (const session of open.values()) if (session.usedAtMs < before) void session.close()
  }
}

const notBegun: Refusal = { status: 400, message: 'Bad Request: the first request must be initialize.' }
const begunAlready: Refusal = { status: 400, code: -32_600, message: 'Invalid Request: Server already initialized' }
