import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server'
import type { IncomingHttpHeaders } from 'node:http'
import type { Caller } from '../caller.ts'
import { urisWanted, type FollowedResources } from '../followed-resources.ts'
import type { Gateway } from '../gateway.ts'
import { paramHeaderProblem } from './param-headers.ts'
import { refusalResponse, type Refusal } from './refusal.ts'

/** Requests since 2026-07-28: each stands for itself, and nothing is kept of it. */
export interface ModernRequests extends AsyncDisposable {
  readonly handle: (visit: ModernVisit) => Promise<Response>
  /** Ends the streams of a caller, and what is under way for it. */
  readonly end: (caller: string) => Promise<void>
}

export interface ModernVisit {
  readonly caller: Caller
  /** Its signal comes when the client has gone. */
  readonly web: Request
  readonly body: unknown
  readonly headers: IncomingHttpHeaders
}

interface ForCaller {
  readonly handler: McpHttpHandler
  readonly followed: FollowedResources
  readonly close: () => Promise<void>
}

interface ModernSetup {
  readonly gateway: Gateway
  readonly note: (text: string) => void
}

export function modernRequests({ gateway, note }: ModernSetup): ModernRequests {
  const callers = new Map<string, ForCaller>()
  return {
    async handle({ caller, web, body, headers }) {
      const mismatch = await headerMismatch(caller, body, headers)
      if (mismatch !== undefined) return refusalResponse(mismatch)
      const { handler, followed } = forCaller(caller)
      followWhileOpen(followed, urisWanted(body), web.signal)
      return handler.fetch(web, { parsedBody: body })
    },
    async end(caller) {
      const known = callers.get(caller)
      callers.delete(caller)
      await known?.close()
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...callers.values()].map((one) => one.close()))
    },
  }

  /** Its lists and what changes in them are a caller's own, and so is the mode that was once decided. */
  function forCaller(caller: Caller): ForCaller {
    const known = callers.get(caller.name)
    if (known !== undefined) return known
    const session = gateway.openSession(caller)
    const handler = createMcpHandler(session.makeServer, { legacy: 'reject', onerror: (error) => note(error.message) })
    const listening = session.onChange((kinds) => {
      if (kinds.has('tools')) handler.notify.toolsChanged()
      if (kinds.has('prompts')) handler.notify.promptsChanged()
      if (kinds.has('resources') || kinds.has('templates')) handler.notify.resourcesChanged()
    })
    const followed = session.follow((uri) => handler.notify.resourceUpdated(uri))
    const close = async () => {
      listening[Symbol.dispose]()
      followed[Symbol.dispose]()
      await handler.close()
    }
    const made = { handler, followed, close }
    callers.set(caller.name, made)
    return made
  }

  /** What a stream wants to hear of is followed for as long as it is open. */
  function followWhileOpen(followed: FollowedResources, uris: readonly string[], signal: AbortSignal): void {
    for (const uri of uris) void followed.follow(uri).catch((error: unknown) => note(String(error)))
    if (uris.length > 0) signal.addEventListener('abort', () => uris.forEach(followed.unfollow), { once: true })
  }

  /** Only whoever knows a tool's definition knows which of its arguments must stand in headers too. */
  async function headerMismatch(
    caller: Caller,
    body: unknown,
    headers: IncomingHttpHeaders,
  ): Promise<Refusal | undefined> {
    const { id, name, args } = callIn(body)
    if (name === undefined) return undefined
    // A wrong name is told in the usual way.
    const tool = await gateway
      .viewFor(caller)
      .tool(name)
      .catch(() => undefined)
    const problem = tool === undefined ? undefined : paramHeaderProblem(tool.inputSchema, { args, headers })
    return problem === undefined ? undefined : { ...problem, id }
  }
}

interface Call {
  readonly id: string | number | null
  readonly name?: string
  readonly args?: unknown
}

function callIn(body: unknown): Call {
  const { id, method, params } = fieldsOf(body)
  const { name, arguments: args } = fieldsOf(params)
  const known = typeof id === 'string' || typeof id === 'number' ? id : null
  return method === 'tools/call' && typeof name === 'string' ? { id: known, name, args } : { id: known }
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
}
