import { once } from 'node:events'
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import type { Caller } from '../../src/gateway/caller.ts'
import { makeIdentify, sha256 } from '../../src/gateway/http/keys.ts'
import { everyone, type HttpWishes } from '../gateway/doors.ts'

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The message of JSON-RPC in it, also where it came as a stream. */
  readonly message: Message
}

export interface Message {
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly code: number; readonly message: string }
}

export interface Sent {
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly body?: string | Buffer
}

/** A request as an attacker sends it: every header as they like, which `fetch` does not allow. */
export async function send(url: URL, { method = 'POST', path, headers = {}, body = '' }: Sent): Promise<Answer> {
  const all = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers }
  const { hostname: host, port, pathname } = url
  const request = httpRequest({ host, port, path: path ?? pathname, method, headers: all })
  request.end(body)
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString('utf8')
  return { status: response.statusCode ?? 0, headers: response.headers, text, message: messageIn(text) }
}

function messageIn(text: string): Message {
  const line = /^data: (\{.*"(?:result|error)":.*)$/m.exec(text)?.[1] ?? text
  try {
    return JSON.parse(line) as Message
  } catch {
    // Pages for monitors and refusals of Node itself are no JSON.
    return {}
  }
}

/** What comes back for bytes that no client would send. */
export async function sendBytes(url: URL, bytes: string): Promise<string> {
  const socket = connect(Number(url.port), url.hostname)
  socket.end(bytes)
  const chunks: Buffer[] = []
  for await (const chunk of socket) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('latin1')
}

const protocolVersion = '2026-07-28'

/** A request since 2026-07-28, with the headers that belong to it. */
export function modernRequest(method: string, params: Readonly<Record<string, unknown>>): Sent {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': protocolVersion,
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
  }
  const name = params['name'] ?? params['uri']
  return {
    headers: {
      'mcp-protocol-version': protocolVersion,
      'mcp-method': method,
      ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
  }
}

export function call(name: string, args: object = {}, more: object = {}): Sent {
  return modernRequest('tools/call', { name, arguments: args, ...more })
}

/** The same request with more headers. */
export function withHeaders(sent: Sent, headers: NonNullable<Sent['headers']>): Sent {
  return { ...sent, headers: { ...sent.headers, ...headers } }
}

export function legacyRequest(method: string, params: object = {}): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 2, method, params })
}

export const initialize = legacyRequest('initialize', {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'raw', version: '1' },
})

/** A key for each name, with the token `token-of-NAME`. */
export function keysFor(...names: readonly string[]): NonNullable<HttpWishes['http']> {
  const callers: readonly Caller[] = names.map((name) => ({ ...everyone, name }))
  const keys = callers.map((caller) => ({ caller, tokenSha256: sha256(`token-of-${caller.name}`) }))
  return { identify: makeIdentify(keys, undefined), hasKeys: true }
}

export const bearer = (name: string) => ({ authorization: `Bearer token-of-${name}` })
