import type { Duplex } from 'node:stream'
import { CapstanError, messageOf, stopped, type ErrorJson } from '../errors.ts'
import { splitLines } from '../files/split-lines.ts'

/** What the other side asks us to do. The returned value is sent back; a throw becomes an error there. */
export type Handler = (method: string, params: unknown, request: IncomingRequest) => Promise<unknown>

export interface IncomingRequest {
  /** Aborted when the other side cancels or goes away. */
  readonly signal: AbortSignal
  readonly progress: (value: unknown) => void
}

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((value: unknown) => void) | undefined
  /** What a person is told was stopped, and whose it was. */
  readonly about?: RequestSubject | undefined
}

export interface RequestSubject {
  readonly what: string
  readonly server?: string
}

/** One end of a newline JSON-RPC connection; both ends may ask. Progress and cancellation are spelt as in MCP. */
export interface Peer {
  readonly request: (method: string, params: unknown, options?: RequestOptions) => Promise<unknown>
  readonly notify: (method: string, params: unknown) => void
  readonly closed: Promise<void>
  readonly close: () => void
}

export interface PeerOptions {
  readonly onRequest: Handler
  readonly onNotification?: (method: string, params: unknown) => void
  /** What a request that is under way fails with when the connection ends. */
  readonly onLost: (method: string) => CapstanError
  /** How much the other end may leave unread; beyond that the connection is cut. */
  readonly maxUnreadBytes?: number | undefined
}

interface Pending {
  readonly method: string
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
  readonly onProgress: ((value: unknown) => void) | undefined
}

const maxLineBytes = 512 * 2 ** 20
/** More than two of the longest messages that a server may send. */
const defaultMaxUnreadBytes = 512 * 2 ** 20

export function peerOver(
  stream: Duplex,
  { onRequest, onNotification, onLost, maxUnreadBytes = defaultMaxUnreadBytes }: PeerOptions,
): Peer {
  const pending = new Map<number, Pending>()
  const running = new Map<number, AbortController>()
  let nextId = 1

  stream.on('data', splitLines({ maxLineBytes, onLine: receive, onTooLong: () => stream.destroy() }))
  // An error is always followed by the close, which is what we act on.
  stream.on('error', () => {})
  const closed = new Promise<void>((resolve) => {
    stream.once('close', () => {
      for (const { method, reject } of pending.values()) reject(onLost(method))
      pending.clear()
      for (const work of running.values()) work.abort(new CapstanError('cancelled', 'The caller has gone away.'))
      resolve()
    })
  })

  return { request, notify: (method, params) => send({ method, params }), closed, close }

  /** What has been said is still sent; but the other end, which may hang, is not waited for. */
  function close(): void {
    stream.end(() => stream.destroy())
  }

  async function request(
    method: string,
    params: unknown,
    { signal, onProgress, about = { what: `"${method}" of the hub` } }: RequestOptions = {},
  ): Promise<unknown> {
    if (signal?.aborted) throw stopped(signal, about.what, about.server)
    if (stream.destroyed || !stream.writable) throw onLost(method)
    const id = nextId++
    // First of all, because it throws on what is no JSON, and then nothing must be left waiting.
    const line = encoded({ id, method, params })
    const cancel = () => {
      send({ method: 'notifications/cancelled', params: { requestId: id } })
      if (signal !== undefined) settle(id)?.reject(stopped(signal, about.what, about.server))
    }
    const answer = new Promise<unknown>((resolve, reject) => {
      pending.set(id, { method, resolve, reject, onProgress })
    })
    signal?.addEventListener('abort', cancel, { once: true })
    stream.write(line)
    return answer.finally(() => signal?.removeEventListener('abort', cancel))
  }

  function settle(id: number): Pending | undefined {
    const waiting = pending.get(id)
    pending.delete(id)
    return waiting
  }

  function send(message: Readonly<Record<string, unknown>>): void {
    if (!stream.writable) return
    // Whoever asks and never reads would have everything kept in memory. What is on its way to a reader is no reason yet.
    if (stream.writableLength > maxUnreadBytes) stream.destroy()
    else stream.write(encoded(message))
  }

  function receive(line: string): void {
    const message = parse(line)
    if (message === undefined) return
    const { id, method, params, result, error } = message
    if (typeof method === 'string' && typeof id === 'number') void answerRequest(id, method, params)
    else if (typeof method === 'string') receiveNotification(method, params)
    else if (typeof id === 'number' && error !== undefined) settle(id)?.reject(readError(error))
    else if (typeof id === 'number') settle(id)?.resolve(result)
  }

  function receiveNotification(method: string, params: unknown): void {
    const { requestId, progressToken, progress } = asRecord(params)
    if (method === 'notifications/cancelled')
      running.get(Number(requestId))?.abort(new CapstanError('cancelled', 'Cancelled by the caller.'))
    else if (method === 'notifications/progress') callBack(pending.get(Number(progressToken))?.onProgress, progress)
    else onNotification?.(method, params)
  }

  async function answerRequest(id: number, method: string, params: unknown): Promise<void> {
    const work = new AbortController()
    running.set(id, work)
    const progress = (value: unknown) =>
      send({ method: 'notifications/progress', params: { progressToken: id, progress: value } })
    try {
      const result = await onRequest(method, params, { signal: work.signal, progress })
      send({ id, result: result ?? null })
    } catch (error) {
      send({ id, error: writeError(error) })
    } finally {
      running.delete(id)
    }
  }
}

function encoded(message: Readonly<Record<string, unknown>>): string {
  return `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`
}

/** Calls what the user of a hub handed in. A bug in it reaches the top, but not through the middle of our own work. */
export function callBack<Value>(listener: ((value: Value) => void) | undefined, value: Value): void {
  try {
    listener?.(value)
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}

function parse(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return asRecord(JSON.parse(line))
  } catch {
    // Not ours to repair: both ends are Capstan, and a foreign line asks for nothing.
    return undefined
  }
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
}

const internalError = -32603

function writeError(error: unknown): { readonly code: number; readonly message: string; readonly data?: ErrorJson } {
  const message = messageOf(error)
  return error instanceof CapstanError
    ? { code: internalError, message, data: error.toJSON() }
    : { code: internalError, message }
}

function readError(error: unknown): Error {
  const { message, data } = asRecord(error)
  const { code } = asRecord(data)
  return typeof code === 'string'
    ? CapstanError.fromJSON(data as ErrorJson)
    : new Error(`The hub failed: ${String(message)}`)
}
