import { PassThrough } from 'node:stream'
import { servePrompts } from '../../../src/prompts/server/serve-stdio.ts'
import type { TestLibrary } from './makers.ts'

export interface Message {
  readonly id?: number | string | null
  readonly method?: string
  readonly params?: unknown
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

export interface RawClient extends AsyncDisposable {
  /** Writes bytes as they are. */
  readonly write: (text: string) => void
  readonly send: (message: unknown) => void
  /** The next text that comes, as it is on the wire. */
  readonly nextText: () => Promise<string>
  /** The next message that comes on a line. */
  readonly next: () => Promise<Message>
  /** Sends a request and waits for the next message. */
  readonly ask: (id: number, method: string, params?: unknown) => Promise<Message>
  /** Closes our end, as a script does that has written all it wants. */
  readonly end: () => void
  /** Breaks the stream to the server. */
  readonly fail: (error: Error) => void
  /** Resolves when the server has ended. */
  readonly served: Promise<void>
}

/** Speaks to a server over the library with no SDK between. */
export function rawClient({ library, skillFolders }: TestLibrary): RawClient {
  const input = new PassThrough()
  const texts: string[] = []
  const waiting: ((text: string) => void)[] = []
  const ending = new AbortController()
  const served = servePrompts({
    library,
    skillFolders,
    signal: ending.signal,
    stdin: input,
    write: async (text) => {
      const waiter = waiting.shift()
      if (waiter === undefined) texts.push(text)
      else waiter(text)
    },
  })
  const send = (message: unknown) => void input.write(`${JSON.stringify(message)}\n`)
  const nextText = () => {
    const text = texts.shift()
    return text === undefined ? new Promise<string>((resolve) => waiting.push(resolve)) : Promise.resolve(text)
  }
  const next = async () => JSON.parse(await nextText()) as Message
  return {
    write: (text) => void input.write(text),
    send,
    nextText,
    next,
    ask: async (id, method, params) => {
      send({ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) })
      return await next()
    },
    end: () => void input.end(),
    fail: (error) => void input.destroy(error),
    served,
    async [Symbol.asyncDispose]() {
      ending.abort()
      await served
    },
  }
}

export const introduction = {
  protocolVersion: '2024-11-05',
  capabilities: {},
  clientInfo: { name: 'old-script', version: '0.1' },
}

export async function introduced(library: TestLibrary): Promise<RawClient> {
  const client = rawClient(library)
  await client.ask(0, 'initialize', introduction)
  client.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
  return client
}
