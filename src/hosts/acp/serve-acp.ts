import { Readable } from 'node:stream'
import { ndJsonStream } from '@agentclientprotocol/sdk'
import { agentMethods } from './agent-methods.ts'
import type { Office } from './desk.ts'
import { makeSessions } from './sessions.ts'

export interface AcpSetup {
  readonly office: Office
  readonly version: string
  readonly stdin: Readable
  readonly write: (bytes: Uint8Array) => Promise<void>
  /** Ends it. */
  readonly signal: AbortSignal
}

/** Speaks the Agent Client Protocol on two streams, until the editor hangs up or the signal comes. */
export async function serveAcp({ office, version, stdin, write, signal }: AcpSetup): Promise<void> {
  await using sessions = makeSessions(office)
  const ended = Promise.withResolvers<void>()
  const output = new WritableStream<Uint8Array>({
    async write(bytes) {
      try {
        await write(bytes)
      } catch (error) {
        // Nobody reads any more.
        ended.resolve()
        throw error
      }
    },
  })
  const connection = agentMethods({ office, sessions, version }).connect(ndJsonStream(output, bytesOf(stdin)))
  if (signal.aborted) ended.resolve()
  signal.addEventListener('abort', () => ended.resolve(), { once: true })
  await Promise.race([connection.closed, ended.promise])
  connection.close()
}

function bytesOf(stdin: Readable): ReadableStream<Uint8Array> {
  return Readable.toWeb(stdin)
}
