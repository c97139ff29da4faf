import type { JSONRPCMessage, JSONRPCResponse, RequestId } from '@modelcontextprotocol/server'
import type { ServerResponse } from 'node:http'

/** A stream of events, open until one of both sides ends it. */
export interface MessageStream {
  readonly send: (message: JSONRPCMessage) => void
  readonly end: () => void
}

/** What one POST of requests gets back. */
export interface Answer {
  /** Something on the way: progress, a log line, a question. */
  readonly send: (message: JSONRPCMessage) => void
  /** The result of one of the requests; the last one ends it. */
  readonly finish: (response: JSONRPCResponse) => void
  /** No result will come of this request; the last one ends it. */
  readonly drop: (id: RequestId) => void
  /** Ends it without the results that are missing. */
  readonly giveUp: () => void
}

export interface Outlet {
  readonly response: ServerResponse
  readonly headers: Readonly<Record<string, string>>
  /** Waits for a client that does not read as fast as it is written to, or cuts it off. */
  readonly drained: () => Promise<void>
}

/** Whatever stands between must see that the connection is alive. */
const keepAliveMs = 15_000

/** How long a client waits for the head of an answer whose body is still open. */
const headPatienceMs = 500

const streamHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

export function openStream({ response, headers, drained }: Outlet): MessageStream {
  response.writeHead(200, { ...streamHeaders, ...headers }).flushHeaders()
  const beating = setInterval(() => response.write(': keepalive\n\n'), keepAliveMs).unref()
  response.once('close', () => clearInterval(beating))
  return {
    send: (message) => {
      if (!response.write(eventOf(message))) void drained()
    },
    end: () => {
      // What has ended may still be read for long, and must not be written to.
      clearInterval(beating)
      response.end()
    },
  }
}

/**
 * Plain JSON for one request that is answered soon and in one word, as most are: one write, and nothing to take apart on the other side.
 * A stream of events for all else.
 */
export function openAnswer(ids: readonly RequestId[], outlet: Outlet): Answer {
  const { response } = outlet
  const missing = new Set(ids)
  let stream: MessageStream | undefined
  const streaming = () => (stream ??= openStream(outlet))
  const patience = setTimeout(streaming, headPatienceMs).unref()
  response.once('close', () => clearTimeout(patience))
  const end = () => {
    clearTimeout(patience)
    streaming().end()
  }
  return {
    send: (message) => streaming().send(message),
    finish(result) {
      if (result.id !== undefined) missing.delete(result.id)
      if (stream === undefined && ids.length === 1) {
        clearTimeout(patience)
        return sendJson(result, outlet)
      }
      streaming().send(result)
      if (missing.size === 0) end()
    },
    drop(id) {
      if (missing.delete(id) && missing.size === 0) end()
    },
    giveUp() {
      if (missing.size > 0) end()
      missing.clear()
    },
  }
}

function sendJson(message: JSONRPCMessage, { response, headers, drained }: Outlet): void {
  const body = JSON.stringify(message)
  const length = Buffer.byteLength(body)
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': length, ...headers }).end(body)
  if (response.writableLength > response.writableHighWaterMark) void drained()
}

function eventOf(message: JSONRPCMessage): string {
  return `event: message\ndata: ${JSON.stringify(message)}\n\n`
}
