import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { boundedDepth } from '../hub/wire/bounded-depth.ts'
import { tapTransport } from '../hub/wire/tap-transport.ts'
import type { Caller } from './caller.ts'
import { urisWanted, type FollowedResources } from './followed-resources.ts'
import type { Gateway } from './gateway.ts'

export interface ServeConnection {
  readonly transport: Transport & { readonly ended: Promise<void> }
  readonly caller: Caller
  readonly signal: AbortSignal
  readonly note: (text: string) => void
}

/** Serves one client over one connection until it hangs up or the signal comes. The client's first words choose the era. */
export async function serveConnection(gateway: Gateway, options: ServeConnection): Promise<void> {
  const { transport, caller, signal, note } = options
  const session = gateway.openSession(caller)
  const listens = new Map<unknown, readonly string[]>()
  let followed: FollowedResources | undefined
  // The SDK serves streams of changes by itself, and does not say what is wanted of them.
  const report = (error: unknown) => note(String(error))
  const bounded = boundedDepth({ answer: (message) => void transport.send(message).catch(report), note })
  tapTransport(transport, { onSent: () => {}, onReceived: (message) => noteListening(bounded(message)) })
  const handle = serveStdio(
    async ({ era }) => {
      const connected = await session.connect(era)
      ;({ followed } = connected)
      return connected.server
    },
    { transport, onerror: (error) => note(error.message) },
  )
  const stop = () => void handle.close()
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  await transport.ended
  signal.removeEventListener('abort', stop)

  function noteListening(message: JSONRPCMessage | undefined): JSONRPCMessage | undefined {
    if (message === undefined) return undefined
    const uris = urisWanted(message)
    if (uris.length > 0 && 'id' in message) {
      listens.set(message.id, uris)
      for (const uri of uris) void followed?.follow(uri).catch(report)
    }
    if ('method' in message && message.method === 'notifications/cancelled') {
      const { requestId } = message.params ?? {}
      for (const uri of listens.get(requestId) ?? []) followed?.unfollow(uri)
      listens.delete(requestId)
    }
    return message
  }
}
