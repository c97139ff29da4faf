import type { Transport } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Caller } from './caller.ts'
import type { Gateway } from './gateway.ts'
import { tellChanges } from './protocol-server.ts'

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
  const handle = serveStdio(
    async ({ era }) => {
      const server = await session.makeServer(era)
      const listening = session.onChange((kinds) => {
        // Before its introduction a client cannot be told anything, and one that has gone need not be.
        void tellChanges(server, kinds).catch((error: unknown) => note(String(error)))
      })
      server.onclose = () => listening[Symbol.dispose]()
      return server
    },
    { transport, onerror: (error) => note(error.message) },
  )
  const stop = () => void handle.close()
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  await transport.ended
  signal.removeEventListener('abort', stop)
}
