import type { IncomingMessage, ServerResponse } from 'node:http'

/** A request of Node as the web knows it, without its body: that has been read. Only the headers that the protocol needs go along. */
export function toWebRequest(request: IncomingMessage, { url, signal }: { url: string; signal: AbortSignal }): Request {
  const headers = new Headers()
  for (const name of passedHeaders) {
    const value = request.headers[name]
    if (typeof value === 'string') headers.set(name, value)
  }
  return new Request(url, { method: request.method ?? 'GET', headers, signal })
}

/** The token of the caller, and whatever a proxy claims about them, is none of the handlers' business. */
const passedHeaders = [
  'accept',
  'content-type',
  'mcp-protocol-version',
  'mcp-session-id',
  'mcp-method',
  'mcp-name',
  'last-event-id',
] as const

const headPatienceMs = 20

export interface Sending {
  readonly headers: Readonly<Record<string, string>>
  /** Waits for a client that does not read as fast as it is written to. */
  readonly drained: () => Promise<void>
}

/** Sends a web response over Node's. A client that reads slowly holds up its own stream; one that has gone ends it. */
export async function sendWebResponse(
  response: ServerResponse,
  web: Response,
  { headers, drained }: Sending,
): Promise<void> {
  response.writeHead(web.status, { ...Object.fromEntries(web.headers), ...headers })
  if (web.body === null) return void response.end()
  // A stream that listens may stay silent for long, and its client must know that it stands. An answer comes soon, mostly: one write takes both.
  const headAlone = setTimeout(() => response.flushHeaders(), response.req.method === 'GET' ? 0 : headPatienceMs)
  const reader = web.body.getReader()
  const cancel = () => void reader.cancel().catch(() => {})
  response.once('close', cancel)
  try {
    for (;;) {
      const { done, value } = await reader.read()
      clearTimeout(headAlone)
      if (done || response.destroyed) break
      if (!response.write(value)) await drained()
    }
  } finally {
    clearTimeout(headAlone)
    response.off('close', cancel)
    response.end()
  }
}
