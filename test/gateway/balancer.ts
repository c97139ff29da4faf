import { once } from 'node:events'
import { createServer, request as sendRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

export interface Balancer extends AsyncDisposable {
  readonly url: URL
}

/**
 * A round-robin proxy as they are commonly set up: a request with a session id goes to the copy that gave it, and one that a copy did not
 * take (no connection, or 503) goes to the next. One whose answer was lost on the way is not sent again.
 */
export async function openBalancer(copies: readonly URL[]): Promise<Balancer> {
  const copyOfSession = new Map<string, number>()
  let turn = 0
  const http = createServer((request, response) => {
    void pass(request, response).catch(() => response.headersSent || response.writeHead(502).end())
  })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  const { port } = http.address() as AddressInfo
  return {
    url: new URL(`http://127.0.0.1:${port}/mcp`),
    async [Symbol.asyncDispose]() {
      http.close()
      http.closeAllConnections()
      await once(http, 'close')
    },
  }

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request)
    const first = copyOfSession.get(String(request.headers['mcp-session-id'])) ?? turn++
    for (let attempt = 0; attempt < copies.length; attempt++) {
      const index = (first + attempt) % copies.length
      const answer = await forward(request, { body, to: copies[index] })
      if (answer === 'not taken') continue
      const session = answer.headers['mcp-session-id']
      if (typeof session === 'string') copyOfSession.set(session, index)
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      response.on('close', () => answer.destroy())
      answer.on('error', () => response.destroy()).pipe(response)
      return
    }
    response.writeHead(503).end()
  }
}

interface Forwarding {
  readonly body: Buffer
  readonly to: URL | undefined
}

async function forward(
  { method, headers }: IncomingMessage,
  { body, to }: Forwarding,
): Promise<IncomingMessage | 'not taken'> {
  if (to === undefined) return 'not taken'
  // Without kept connections: a copy may close one at the very moment that a request is written to it.
  const outgoing = sendRequest(to, { method, headers: { ...headers, connection: 'close' }, agent: false })
  outgoing.end(body)
  try {
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
    if (answer.statusCode !== 503) return answer
    answer.resume()
    return 'not taken'
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED') return 'not taken'
    throw error
  }
}
