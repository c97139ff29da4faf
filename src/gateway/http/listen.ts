import { isLegacyRequest } from '@modelcontextprotocol/server'
import { createServer, type IncomingMessage, type Server as HttpServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CapstanError, messageOf } from '../../errors.ts'
import type { Caller } from '../caller.ts'
import type { Gateway } from '../gateway.ts'
import { isLoopback, urlOf, type Address } from './address.ts'
import { corsHeaders, guardHeaders, type GuardOptions } from './guards.ts'
import type { Identify } from './keys.ts'
import { turnstile, type HttpLimits } from './limits.ts'
import { modernRequests } from './modern.ts'
import { readBody } from './read-body.ts'
import { refusalBody, type Refusal } from './refusal.ts'
import type { SessionVisit } from './session-transport.ts'
import { httpSessions } from './sessions.ts'
import { unreadAnswers } from './unread.ts'
import { sendWebResponse, toWebRequest } from './web.ts'

/** What may change while the door is open. */
export interface DoorRules extends Omit<GuardOptions, 'host'> {
  readonly identify: Identify
  readonly limits: HttpLimits
}

export interface HttpOptions extends DoorRules {
  readonly address: Address
  /** Whether nobody comes in without a token. */
  readonly hasKeys: boolean
  readonly note: (text: string) => void
  readonly now?: () => number
  /** Answers other paths, such as those of a monitor; undefined where there is nothing. */
  readonly page?: (path: string) => Promise<Page | undefined>
}

export interface Page {
  readonly status: number
  readonly type: string
  readonly text: string
  /** Whether it is for everybody who can reach us. */
  readonly isPublic: boolean
}

/** Made once: a trace of the stack for every request costs more than the rest of its end. */
const clientGone = new CapstanError('cancelled', 'The client has gone away.')

export interface HttpDoor extends AsyncDisposable {
  readonly url: string
  readonly counts: () => { readonly requests: number; readonly sessions: number }
  /** Takes other rules for the next request. Of the limits those for connections, headers and sessions stay as they were. */
  readonly take: (rules: DoorRules) => void
  /** Ends the sessions and streams of a caller, and what is under way for it. */
  readonly end: (caller: string) => Promise<void>
  /** Takes no new requests and waits for those under way, but not longer than this. */
  readonly drain: (maxMs: number) => Promise<void>
}

/** Opens the gateway to clients over HTTP: both eras at `/mcp`. */
export async function listenHttp(gateway: Gateway, options: HttpOptions): Promise<HttpDoor> {
  const { address, limits, note, now = Date.now } = options
  if (!isLoopback(address.host) && !options.hasKeys) throw openToAll(address)
  let rules: DoorRules = options
  let guard: GuardOptions = { ...options, host: address.host }
  const gate = turnstile(() => rules.limits, now)
  const sessions = httpSessions({ gateway, limits, now })
  const modern = modernRequests({ gateway, note })
  const unread = unreadAnswers({ limits, note })
  let isDraining = false

  const http = createServer({ maxHeaderSize: limits.headerBytes, requestTimeout: 60_000 }, (request, response) => {
    void serve(request, response).catch((error: unknown) => {
      note(`A request failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
      if (!response.headersSent) refuse(response, { status: 500, code: -32_603, message: 'Internal error.' })
      else response.destroy()
    })
  })
  http.maxConnections = limits.connections
  const url = await bind(http, address)

  return {
    url,
    counts: () => ({ requests: gate.underWay(), sessions: sessions.count() }),
    take(next) {
      rules = next
      guard = { ...next, host: address.host }
    },
    async end(caller) {
      await Promise.all([sessions.end(caller), modern.end(caller)])
    },
    async drain(maxMs) {
      isDraining = true
      const closed = new Promise<void>((resolve) => http.close(() => resolve()))
      http.closeIdleConnections()
      const late = AbortSignal.timeout(maxMs)
      while (gate.underWay() > 0 && !late.aborted) await new Promise((resolve) => setTimeout(resolve, 20))
      await close()
      await closed
    },
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => http.close(() => resolve()))
      await close()
      await closed
    },
  }

  async function close(): Promise<void> {
    await Promise.all([sessions[Symbol.asyncDispose](), modern[Symbol.asyncDispose]()])
    http.closeAllConnections()
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refusal = guardHeaders(request, guard)
    if (refusal !== undefined) return refuse(response, refusal)
    const cors = corsHeaders(request.headers.origin, guard)
    if (request.method === 'OPTIONS') {
      return void response.writeHead(Object.keys(cors).length === 0 ? 405 : 204, cors).end()
    }
    const path = pathOf(request)
    const page = request.method === 'GET' ? await options.page?.(path) : undefined
    if (page?.isPublic === true) return sendPage(response, page)
    const caller = whoComes(request)
    if ('status' in caller) return refuse(response, caller, cors)
    if (page !== undefined) return sendPage(response, page)
    if (path !== '/mcp') return refuse(response, { status: 404, message: 'The gateway is at /mcp.' }, cors)
    if (isDraining) {
      const busy = { status: 503, message: 'The gateway is about to end.', headers: { 'retry-after': '5' } }
      return refuse(response, busy, cors)
    }
    await serveMcp(caller, { request, response, cors })
  }

  function whoComes(request: IncomingMessage): Caller | Refusal {
    const from = request.socket.remoteAddress ?? 'unknown'
    const wait = gate.mayTry(from)
    if (wait !== undefined) return wait
    const caller = rules.identify(request.headers.authorization)
    if (caller !== undefined) return caller
    gate.failed(from)
    const problem = request.headers.authorization === undefined ? '' : ', error="invalid_token"'
    const headers = { 'www-authenticate': `Bearer realm="capstan"${problem}` }
    return { status: 401, message: 'A token is needed: Authorization: Bearer …', headers }
  }

  interface Visit {
    readonly request: IncomingMessage
    readonly response: ServerResponse
    readonly cors: Readonly<Record<string, string>>
  }

  async function serveMcp(known: Caller, { request, response, cors }: Visit): Promise<void> {
    // A stream that only listens takes no place: it would hold it for ever.
    const isStream = request.method === 'GET'
    const place = isStream ? { [Symbol.dispose]() {} } : gate.enter(known.name)
    if ('status' in place) return refuse(response, place, cors)
    using _place = place
    const rulesBefore = rules
    const body = request.method === 'POST' ? await readBody(request, rules.limits) : { value: undefined }
    if ('status' in body) return refuse(response, body, cors)
    // A body may come as slowly as its sender likes, and the key may have been taken away meanwhile.
    const caller = rules === rulesBefore ? known : whoComes(request)
    if ('status' in caller) return refuse(response, caller, cors)
    if (isListen(body.value)) place[Symbol.dispose]()
    const drained = () => {
      // The work is done. Who does not read what it came to must not take the place of others.
      place[Symbol.dispose]()
      return unread.drained(response)
    }
    const visit = { request, response, body: body.value, headers: cors, drained }
    if (sessions.has(request, caller)) return serveSession(visit, caller)
    const gone = new AbortController()
    response.once('close', () => gone.abort(clientGone))
    const web = toWebRequest(request, { url: `${url}/mcp`, signal: gone.signal })
    if (await isLegacyRequest(web, body.value)) return serveSession(visit, caller)
    const answer = await modern.handle({ caller, web, body: body.value, headers: request.headers })
    await sendWebResponse(response, answer, { headers: cors, drained })
  }

  /** Ends with the response, which may come much later. */
  async function serveSession(visit: SessionVisit, caller: Caller): Promise<void> {
    const closed = new Promise((resolve) => visit.response.once('close', resolve))
    const refusal = await sessions.serve(visit, caller)
    if (refusal !== undefined) refuse(visit.response, refusal, visit.headers)
    await closed
  }
}

function openToAll(address: Address): CapstanError {
  return new CapstanError(
    'not_allowed',
    `${urlOf(address)} can be reached by others, and nobody would have to say who they are.`,
    {
      next: 'Set a token with --token-file FILE or CAPSTAN_TOKEN, or listen on 127.0.0.1.',
    },
  )
}

async function bind(http: HttpServer, address: Address): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    http.once('error', (cause) => {
      const message = `${urlOf(address)} cannot be listened on: ${messageOf(cause)}.`
      reject(new CapstanError('usage', message, { cause, next: 'Choose another port, or end what uses it.' }))
    })
    http.listen(address.port, address.host, resolve)
  })
  const { port } = http.address() as AddressInfo
  return urlOf({ ...address, port })
}

function pathOf({ url = '/' }: IncomingMessage): string {
  return url.split('?', 1)[0] ?? '/'
}

function isListen(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'method' in body && body.method === 'subscriptions/listen'
}

function refuse(response: ServerResponse, refusal: Refusal, more: Readonly<Record<string, string>> = {}): void {
  response.writeHead(refusal.status, { 'content-type': 'application/json', ...more, ...refusal.headers })
  response.end(refusalBody(refusal))
}

function sendPage(response: ServerResponse, { status, type, text }: Page): void {
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' })
  response.end(text)
}
