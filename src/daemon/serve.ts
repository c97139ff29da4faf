import { createServer, type Socket } from 'node:net'
import { CapstanError } from '../errors.ts'
import type { Hub } from '../hub/api.ts'
import { version } from '../version.ts'
import { peerOver, type IncomingRequest } from './peer.ts'
import { hubMethods, protocolVersion } from './protocol.ts'

/** Serves a hub on a local socket, one to one. Closing it ends the connections, not the hub. */
export async function serveHub(hub: Hub, socketPath: string): Promise<AsyncDisposable> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    serveSocket(hub, socket)
  })
  await new Promise<void>((resolve, reject) => {
    // Heard for as long as it lives: a failed accept (no file handles left) costs one client, not the hub.
    server.on('error', reject)
    server.listen(socketPath, resolve)
  })
  return {
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve))
      sockets.forEach((socket) => socket.destroy())
      await closed
    },
  }
}

function serveSocket(hub: Hub, socket: Socket): void {
  let listening: Disposable | undefined
  let hasGreeted = false
  const peer = peerOver(socket, {
    async onRequest(method, params, request) {
      if (method === 'hello') {
        hasGreeted = greet(params)
        return { protocol: protocolVersion, version }
      }
      if (!hasGreeted) throw new CapstanError('usage', 'The first message must be "hello".')
      return answer(hub, method, { params, request })
    },
    onNotification(method) {
      if (method !== 'listen' || !hasGreeted) return
      listening ??= hub.on((event) => {
        const isFlood = event.kind === 'log' && socket.writableLength > maxUnreadBytes
        if (!isFlood) peer.notify('event', event)
      })
    },
    onLost: () => new CapstanError('cancelled', 'The client has gone away.'),
  })
  void peer.closed.then(() => listening?.[Symbol.dispose]())
}

/** A client that stopped reading would otherwise have the logs of all servers kept for it in memory. */
const maxUnreadBytes = 4 * 2 ** 20

function greet(params: unknown): true {
  const spoken = typeof params === 'object' && params !== null && 'protocol' in params ? params.protocol : undefined
  if (spoken === protocolVersion) return true
  throw new CapstanError(
    'usage',
    `The hub speaks version ${protocolVersion} of its protocol, the client ${String(spoken)}.`,
    {
      next: 'Use the same version of Capstan on both ends.',
    },
  )
}

async function answer(
  hub: Hub,
  method: string,
  { params, request }: { readonly params: unknown; readonly request: IncomingRequest },
): Promise<unknown> {
  const known = hubMethods.find((name) => name === method)
  if (known === undefined || !Array.isArray(params)) throw new CapstanError('usage', `A hub has no method "${method}".`)
  const args: readonly unknown[] = params.slice(0, -1)
  const options: unknown = params.at(-1)
  const live = { ...(typeof options === 'object' ? options : {}), signal: request.signal, onProgress: request.progress }
  // The client is a Hub of the same protocol version, so the arguments have the types of the interface.
  const run = hub[known] as (...all: readonly unknown[]) => Promise<unknown>
  return run(...args, live)
}
