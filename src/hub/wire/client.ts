import {
  Client,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type ClientOptions,
  type JSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/client'
import type { RemoteServer } from '../../config/types.ts'
import type { CapstanError } from '../../errors.ts'
import { places } from '../../files/places.ts'
import { version } from '../../version.ts'
import type { ListKind, LogLine } from '../api.ts'
import { askAnswerer, type AskAnswerer, type AskRights } from '../asks/answer-asks.ts'
import { askRoutes } from '../asks/route-asks.ts'
import { authStore } from '../auth/auth-store.ts'
import { serverAuth } from '../auth/server-auth.ts'
import { boundedDepth } from './bounded-depth.ts'
import { boundedFetch } from './bounded-fetch.ts'
import { connectionOver, noLimit } from './client-connection.ts'
import type { Connection, TransportKind } from './connection.ts'
import { patientFetch } from './patient-fetch.ts'
import { tapTransport, type Onlooker, type Tap } from './tap-transport.ts'
import type { RemoteWatch } from './watch-remote.ts'
import { unreadResults, type UnreadResults } from './unread-results.ts'

// Together with the client, because the SDK is loaded in one place.
export { authStore } from '../auth/auth-store.ts'
export { login } from '../auth/login.ts'
export { logout } from '../auth/logout.ts'

export interface ClientSetup {
  readonly server: string
  readonly transport: Transport
  readonly transportKind: TransportKind
  /** `auto` probes for the modern era and falls back; `legacy` goes straight to `initialize`. */
  readonly mode: 'auto' | 'legacy'
  /** The start deadline. */
  readonly signal: AbortSignal
  readonly onListChanged: (kind: ListKind) => void
  readonly onLog: (source: LogLine['source'], text: string) => void
  readonly tap?: Tap | undefined
  /** What the server may ask for. */
  readonly rights: AskRights
  readonly remoteWatch?: RemoteWatch | undefined
  /** Why our own transport ended the connection, if it was us. */
  readonly failure?: (() => CapstanError | undefined) | undefined
}

export interface RemoteSetup {
  readonly name: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly onLog: (source: LogLine['source'], text: string) => void
}

/** The transport of a remote server, which sends the token of its login. Here, because the SDK is loaded in one place. */
export function openRemote(kind: 'http' | 'sse', server: RemoteServer, { name, env, onLog }: RemoteSetup): Transport {
  const note = (text: string) => onLog('hub', text)
  const store = authStore({ folder: places(env).state, onLog: note })
  const RemoteTransport = kind === 'http' ? StreamableHTTPClientTransport : SSEClientTransport
  const patient = patientFetch({ fetch: serverAuth({ name, server, store, onLog: note }), note })
  const onTooLarge = (error: CapstanError) => {
    note(error.message)
    void transport.close()
  }
  const transport: Transport = new RemoteTransport(new URL(server.url), {
    requestInit: { headers: { ...server.headers } },
    fetch: boundedFetch({ fetch: patient, server: name, onTooLarge }),
  })
  return transport
}

const probeMs = 5000
const debounceMs = 50

export async function openClient(setup: ClientSetup): Promise<Connection> {
  const asks = askRoutes((text) => setup.onLog('hub', text))
  const answerer = askAnswerer(setup.server, setup.rights, asks)
  const client = new Client({ name: 'capstan', version }, clientOptions(setup, answerer))
  const results = unreadResults()
  tapTransport(setup.transport, onlookers(setup, results))
  const closed = new Promise<void>((resolve) => {
    client.onclose = resolve
  })
  // Out-of-band trouble, such as a late answer to a cancelled request, concerns no caller: it goes to the log.
  client.onerror = (error) => setup.onLog('hub', error.message)
  client.setNotificationHandler('notifications/message', ({ params }) => {
    setup.onLog(
      'message',
      `${params.level}: ${typeof params.data === 'string' ? params.data : JSON.stringify(params.data)}`,
    )
  })

  answerer.serve(client)
  await client.connect(setup.transport, { signal: setup.signal, timeout: noLimit })
  return connectionOver(client, { ...setup, results, asks, answerInputs: answerer.answerInputs, ended: closed })
}

function onlookers({ server, transport, tap, onLog }: ClientSetup, results: UnreadResults): Onlooker {
  const note = (text: string) => onLog('hub', text)
  const answer = (message: JSONRPCMessage) =>
    void transport.send(message).catch((error: unknown) => note(String(error)))
  const bounded = boundedDepth({ server, answer, note })
  return {
    onSent(message) {
      tap?.(server, 'sent', message)
      results.onSent(message)
    },
    onReceived(received) {
      const message = bounded(received)
      if (message === undefined) return undefined
      tap?.(server, 'received', message)
      return results.onReceived(message)
    },
  }
}

function clientOptions({ mode, onListChanged }: ClientSetup, { capabilities }: AskAnswerer): ClientOptions {
  const announce = (...kinds: readonly ListKind[]) => ({
    autoRefresh: false,
    debounceMs,
    onChanged: () => kinds.forEach(onListChanged),
  })
  return {
    capabilities,
    versionNegotiation: { mode, probe: { timeoutMs: probeMs } },
    listChanged: {
      tools: announce('tools'),
      prompts: announce('prompts'),
      resources: announce('resources', 'templates'),
    },
  }
}
