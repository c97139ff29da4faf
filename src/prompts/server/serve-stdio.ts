import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { promptServer } from './prompt-server.ts'
import type { Library } from './library.ts'
import { openRunbooks } from './runbooks.ts'
import { stdioTransport, type StdioStreams } from './stdio-transport.ts'
import { allTools } from './tools.ts'

export interface ServeOptions extends StdioStreams {
  readonly library: Library
  /** Folders of skills, the strongest first. */
  readonly skillFolders: readonly string[]
  readonly signal: AbortSignal
}

/** Serves the library to one client until it hangs up or the signal comes. */
export async function servePrompts({ library, skillFolders, signal, ...streams }: ServeOptions): Promise<void> {
  const { store, log } = library
  const onerror = (error: Error) => log.failure('the connection', error)
  const transport = stdioTransport(streams, { onEarlyError: onerror })
  using runbooks = await openRunbooks({ store, folders: skillFolders, log })
  const tools = allTools(runbooks)
  const handle = serveStdio(() => promptServer({ library, tools, runbooks }), {
    transport,
    onerror,
  })
  const stop = () => void handle.close()
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  await transport.ended
  signal.removeEventListener('abort', stop)
}
