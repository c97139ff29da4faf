import {
  WebStandardStreamableHTTPServerTransport,
  isInitializeRequest,
  type Server,
} from '@modelcontextprotocol/server'
import { randomUUID } from 'node:crypto'
import type { Caller } from '../caller.ts'
import type { Gateway } from '../gateway.ts'
import type { HttpLimits } from './limits.ts'
import { refusalResponse, type Refusal } from './refusal.ts'

/** The sessions of clients up to 2025-11-25: they keep a connection in mind, so that servers can ask them things. */
export interface Sessions extends AsyncDisposable {
  readonly handle: (request: Request, body: unknown, caller: Caller) => Promise<Response>
  readonly count: () => number
  /** Ends all sessions of a caller. */
  readonly end: (caller: string) => Promise<void>
}

interface OpenSession {
  readonly caller: string
  readonly transport: WebStandardStreamableHTTPServerTransport
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
    async handle(request, body, caller) {
      const id = request.headers.get('mcp-session-id')
      if (id === null && isInitializeRequest(body)) return begin(request, body, caller)
      const session = id === null ? undefined : open.get(id)
      // The session of somebody else is not there, as far as they are told.
      if (session === undefined || session.caller !== caller.name) {
        return refusalResponse(
          id === null
            ? { status: 400, message: 'Bad Request: the first request must be initialize.' }
            : { status: 404, code: -32_001, message: 'Session not found' },
        )
      }
      session.usedAtMs = now()
      return session.transport.handleRequest(request, body === undefined ? {} : { parsedBody: body })
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

  async function begin(request: Request, body: unknown, caller: Caller): Promise<Response> {
    const full = whyFull(caller.name)
    if (full !== undefined) return refusalResponse(full)
    const { server } = await gateway.openSession(caller).connect('legacy')
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void open.set(id, sessionOf(id, caller, { transport, server })),
      onsessionclosed: (id) => void open.delete(id),
    })
    await server.connect(transport)
    return transport.handleRequest(request, { parsedBody: body })
  }

  function sessionOf(
    id: string,
    caller: Caller,
    { transport, server }: { readonly transport: OpenSession['transport']; readonly server: Server },
  ): OpenSession {
    const { onclose } = server
    server.onclose = () => {
      onclose?.()
      open.delete(id)
    }
    return { caller: caller.name, transport, close: () => server.close(), usedAtMs: now() }
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
