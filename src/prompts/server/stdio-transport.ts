import type { Readable } from 'node:stream'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server'
import { frame, messageReader, type Framing, type Incoming } from './message-reader.ts'
import { answerableId, openingRules, type Refusal } from './opening.ts'
import { isObject } from '../../json.ts'

export interface StdioStreams {
  readonly stdin: Readable
  /** Resolves when the text has left the process. */
  readonly write: (text: string) => Promise<void>
}

export interface StdioOptions {
  readonly maxMessageBytes?: number
  /** How long requests that are under way may take after the client has closed its end. */
  readonly lastAnswersMs?: number
  /** Hears of what goes wrong before the transport is in use. */
  readonly onEarlyError?: (error: Error) => void
}

/** The server's end of a connection over two streams. `ended` resolves when it is closed, by whoever's hand. */
export type StdioTransport = Transport & { readonly ended: Promise<void> }

/**
 * The SDK's own transport skips what it cannot read without a word, knows no `Content-Length`, answers clients that never
 * introduced themselves, and drops the answers that are under way when its input ends, which is how scripts use it.
 */
export function stdioTransport({ stdin, write }: StdioStreams, options: StdioOptions = {}): StdioTransport {
  const { maxMessageBytes = 64 * 2 ** 20, lastAnswersMs = 5000, onEarlyError } = options
  const reader = messageReader(maxMessageBytes)
  const refusalOf = openingRules()
  const unanswered = new Set<string | number>()
  const ended = Promise.withResolvers<void>()
  let framing: Framing = 'lines'
  let isClosed = false
  let isDraining = false
  let lastCall: NodeJS.Timeout | undefined

  const transport: StdioTransport = {
    ended: ended.promise,
    ...(onEarlyError === undefined ? {} : { onerror: onEarlyError }),
    async start() {
      stdin.on('data', onData)
    },
    async send(message) {
      if (isClosed) return
      await say(message)
      if (!('method' in message) && message.id !== undefined) unanswered.delete(message.id)
      if (isDraining && unanswered.size === 0) await close()
    },
    close,
  }
  // From the beginning, because a stream may break before anybody reads from it.
  stdin.on('error', onError)
  stdin.on('close', onEnd)
  stdin.on('end', onEnd)
  if (stdin.destroyed) onEnd()
  return transport

  function onData(chunk: Buffer | string): void {
    for (const incoming of reader.take(Buffer.from(chunk))) onIncoming(incoming)
  }

  function onIncoming(incoming: Incoming): void {
    if (isClosed) return
    if (incoming.kind === 'too_long') {
      const message = `A message may have at most ${maxMessageBytes} bytes.`
      void refuse({ code: -32600, message }, null).finally(() => void close())
      return
    }
    ;({ framing } = incoming)
    const message = parsed(incoming.text)
    if (message === undefined) return void refuse({ code: -32700, message: 'Parse error: this is not JSON.' }, null)
    const refusal = refusalOf(message)
    if (refusal === undefined) deliver(message)
    else void refuse(refusal, answerableId(message))
  }

  function deliver(value: unknown): void {
    // `openingRules` has looked at what makes it a message.
    const message = value as JSONRPCMessage
    if ('method' in message && 'id' in message && message.method !== 'subscriptions/listen') unanswered.add(message.id)
    const cancelled = cancelledBy(message)
    if (cancelled !== undefined) unanswered.delete(cancelled)
    transport.onmessage?.(message)
  }

  async function refuse(refusal: Refusal, id: string | number | null): Promise<void> {
    transport.onerror?.(new Error(`Refused a message: ${refusal.message}`))
    await say({ jsonrpc: '2.0', id, error: refusal }).catch(onError)
  }

  async function say(message: unknown): Promise<void> {
    await write(frame(JSON.stringify(message), framing))
  }

  /** Who pipes a few requests in and closes wants their answers. */
  function onEnd(): void {
    if (isDraining) return
    isDraining = true
    if (unanswered.size === 0) void close()
    else lastCall = setTimeout(() => void close(), lastAnswersMs)
  }

  function onError(error: Error): void {
    if (isClosed) return
    transport.onerror?.(error)
    void close()
  }

  async function close(): Promise<void> {
    if (isClosed) return
    isClosed = true
    clearTimeout(lastCall)
    stdin.off('data', onData)
    stdin.pause()
    transport.onclose?.()
    ended.resolve()
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

function cancelledBy(message: JSONRPCMessage): string | number | undefined {
  if (!('method' in message) || message.method !== 'notifications/cancelled' || !isObject(message.params))
    return undefined
  const { requestId } = message.params
  return typeof requestId === 'string' || typeof requestId === 'number' ? requestId : undefined
}
