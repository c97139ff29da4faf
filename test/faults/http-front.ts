import { once } from 'node:events'
import { createServer, request as send, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export interface FrontRequest {
  /** The JSON-RPC method of a POST; else the HTTP one. */
  readonly method: string
  readonly session: string | undefined
}

export interface Refusal {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** What stands between us and a remote server, as proxies do, and goes wrong as they do. */
export interface HttpFront extends AsyncDisposable {
  readonly url: string
  /** Every request so far. */
  readonly requests: readonly FrontRequest[]
  /** Passes on to this address from now on. */
  readonly leadTo: (url: string) => void
  /** Answers requests itself; what it gives nothing for is passed on. */
  readonly refuse: (decide: (request: FrontRequest) => Refusal | undefined) => void
  /** Nothing comes any more over the connections that are open, and nobody is told. New ones work. */
  readonly goSilent: () => void
}

export async function httpFront(upstream: string): Promise<HttpFront> {
  const requests: FrontRequest[] = []
  const sockets = new Set<Socket>()
  const silent = new Set<Socket>()
  let target = upstream
  let decide: Parameters<HttpFront['refuse']>[0] = () => undefined
  // No sign of life for idle connections either, such as an end of them.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => void serve(request, response))
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request)
    if (silent.has(request.socket)) return
    const { 'mcp-session-id': session } = request.headers
    const asked = { method: rpcMethod(body) ?? request.method ?? '', session: session?.toString() }
    requests.push(asked)
    const refusal = decide(asked)
    if (refusal !== undefined) return void response.writeHead(refusal.status, refusal.headers).end(refusal.body)
    passOn({ request, response, body, target, isSilent: () => silent.has(request.socket) })
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/mcp`,
    requests,
    leadTo: (url) => void (target = url),
    refuse: (next) => void (decide = next),
    goSilent: () => sockets.forEach((socket) => silent.add(socket)),
    async [Symbol.asyncDispose]() {
      sockets.forEach((socket) => socket.destroy())
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

interface Passage {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly body: Buffer
  readonly target: string
  readonly isSilent: () => boolean
}

function passOn({ request, response, body, target, isSilent }: Passage): void {
  const { host: _host, ...headers } = request.headers
  const onward = send(target, { method: request.method, headers }, (answer) => {
    if (isSilent()) return
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    response.flushHeaders()
    answer.on('data', (chunk: Buffer) => isSilent() || response.write(chunk))
    answer.on('end', () => isSilent() || response.end())
    answer.on('error', () => isSilent() || response.destroy())
  })
  onward.on('error', () => isSilent() || response.destroy())
  response.on('close', () => onward.destroy())
  onward.end(body)
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

function rpcMethod(body: Buffer): string | undefined {
  if (body.length === 0) return undefined
  const { method } = Object(JSON.parse(body.toString())) as { readonly method?: unknown }
  return typeof method === 'string' ? method : undefined
}
