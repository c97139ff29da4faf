import { createServer, type Server, type Socket } from 'node:net'
import { CapstanError } from '../errors.ts'
import type { Answer, Hub, HubEvent, JsonObject, OnAsk, OnRoots } from '../hub/api.ts'
import { version } from '../version.ts'
import { peerOver, type IncomingRequest, type Peer } from './peer.ts'
import { hubMethods, protocolVersion, type Hello, type Welcome } from './protocol.ts'

/** What a client gets: a hub of its own, and what it should be told about it. */
export interface View {
  readonly hub: Hub
  readonly warnings: readonly string[]
}

export interface Host {
  /** The version it answers with; ours when absent. */
  readonly version?: string
  /** Opens the hub for one client; closed when the client has gone. */
  readonly openView: (hello: Hello, peer: Peer) => Promise<View>
  /** Methods besides those of a Hub, such as a daemon's own. */
  readonly methods?: Readonly<Record<string, (params: unknown) => Promise<unknown>>>
  /** How much a client may leave unread. */
  readonly maxUnreadBytes?: number
}

/** Serves a hub on a local socket, one to one. Closing it ends the connections, not the hub. */
export async function serveHub(hub: Hub, socketPath: string): Promise<AsyncDisposable> {
  // Each client gets the same hub, which is not theirs to close.
  const shared: Hub = { ...hub, async [Symbol.asyncDispose]() {} }
  return listen(socketPath, { openView: async () => ({ hub: shared, warnings: [] }) })
}

export interface Listening extends AsyncDisposable {
  /** Takes no new clients; those that are there go on. */
  readonly stopListening: () => void
}

export async function listen(
  socketPath: string,
  host: Host,
  onClients: (count: number) => void = () => {},
): Promise<Listening> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    onClients(sockets.size)
    socket.once('close', () => {
      sockets.delete(socket)
      onClients(sockets.size)
    })
    serveSocket(host, socket)
  })
  await bind(server, socketPath)
  return {
    stopListening: () => void server.close(),
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve))
      sockets.forEach((socket) => socket.destroy())
      await closed
    },
  }
}

function bind(server: Server, socketPath: string): Promise<void> {
  return new Promise((resolve, reject) => {
    // Heard for as long as it lives: a failed accept (no file handles left) costs one client, not the hub.
    server.on('error', reject)
    server.listen(socketPath, resolve)
  })
}

function serveSocket(host: Host, socket: Socket): void {
  let view: Promise<View> | undefined
  let listening: Disposable | undefined
  const peer = peerOver(socket, {
    async onRequest(method, params, request) {
      if (method === 'hello') {
        const hello = readHello(params)
        view = host.openView(hello, peer)
        const { warnings } = await view
        return { protocol: protocolVersion, version: host.version ?? version, warnings } satisfies Welcome
      }
      if (view === undefined) throw new CapstanError('usage', 'The first message must be "hello".')
      const own = host.methods?.[method]
      if (own !== undefined) return own(params)
      return answer((await view).hub, method, { params, request, peer })
    },
    onNotification(method) {
      if (method !== 'listen') return
      const tell = (event: HubEvent) => {
        const isFlood = event.kind === 'log' && socket.writableLength > maxUnreadLogBytes
        if (!isFlood) peer.notify('event', event)
      }
      void view?.then(({ hub }) => (listening ??= hub.on(tell)))
    },
    onLost: () => new CapstanError('cancelled', 'The client has gone away.'),
    maxUnreadBytes: host.maxUnreadBytes,
  })
  void closeAfter(peer)

  async function closeAfter({ closed }: Peer): Promise<void> {
    await closed
    listening?.[Symbol.dispose]()
    const opened = await view?.catch(() => undefined)
    await opened?.hub[Symbol.asyncDispose]()
  }
}

/** A client that stopped reading would otherwise have the logs of all servers kept for it in memory. */
const maxUnreadLogBytes = 4 * 2 ** 20

function readHello(params: unknown): Hello {
  const hello = typeof params === 'object' && params !== null ? (params as Partial<Hello>) : {}
  if (hello.protocol === protocolVersion) return { version: '', ...hello, protocol: protocolVersion }
  throw new CapstanError(
    'usage',
    `The hub speaks version ${protocolVersion} of its protocol, the client ${String(hello.protocol)}.`,
    {
      next: 'Use the same version of Capstan on both ends.',
    },
  )
}

async function answer(
  hub: Hub,
  method: string,
  { params, request, peer }: { readonly params: unknown; readonly request: IncomingRequest; readonly peer: Peer },
): Promise<unknown> {
  const known = hubMethods.find((name) => name === method)
  if (known === undefined || !Array.isArray(params)) throw new CapstanError('usage', `A hub has no method "${method}".`)
  const args: readonly unknown[] = params.slice(0, -1)
  const { answerer, rootsOf, ...options } = asOptions(params.at(-1))
  const live = {
    ...options,
    ...(typeof answerer === 'number' ? { onAsk: askOver(peer, answerer) } : {}),
    ...(typeof rootsOf === 'number' ? { onRoots: rootsOver(peer, rootsOf) } : {}),
    signal: request.signal,
    onProgress: request.progress,
    onEvent: request.progress,
  }
  // The client is a Hub of the same protocol version, so the arguments have the types of the interface.
  const run = hub[known] as (...all: readonly unknown[]) => Promise<unknown>
  return run(...args, live)
}

function asOptions(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
}

function rootsOver(peer: Peer, answerer: number): OnRoots {
  return async ({ signal }) => (await peer.request('roots', { answerer }, { signal })) as JsonObject
}

function askOver(peer: Peer, answerer: number): OnAsk {
  return async (ask, { signal }) => (await peer.request('ask', { answerer, ask }, { signal })) as Answer
}
