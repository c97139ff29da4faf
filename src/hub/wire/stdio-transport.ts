import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { CapstanError } from '../../errors.ts'
import { splitLines } from '../../files/split-lines.ts'
import type { GracePeriods, ServerProcess } from './server-process.ts'

export interface StdioTransportOptions {
  readonly server: string
  readonly maxLineBytes: number
  readonly grace: GracePeriods
  /** A line on stdout that is no JSON-RPC message: a stray print, which must not break the connection. */
  readonly onNoise: (line: string) => void
  /** Why we gave up on the server, when it was us. */
  readonly onFailure: (error: CapstanError) => void
}

/**
 * Newline JSON over a server's stdin and stdout. Ours and not the SDK's because that one copies the whole buffer for each
 * chunk (quadratic on large messages), drops progress that arrives together with the response, and leaves grandchildren.
 * The members `pid` and `stderr` tell the SDK that this is stdio, so that it probes in place instead of starting a second server.
 */
export function stdioTransport(
  child: ServerProcess,
  options: StdioTransportOptions,
): Transport & { readonly pid: number | undefined; readonly stderr: unknown } {
  const transport: Transport & { readonly pid: number | undefined; readonly stderr: unknown } = {
    pid: child.pid,
    stderr: child.stderr,
    async start() {
      await child.started
      void child.exited.then(() => transport.onclose?.())
      child.stdout.on('data', splitLines({ maxLineBytes: options.maxLineBytes, onLine: receive, onTooLong: giveUp }))
      // Who closes a pipe can no longer be spoken to. Most are about to end; the others would be of no use for ever.
      child.stdout.once('end', endServer)
      child.stdin.once('error', endServer)
    },
    send: (message) =>
      new Promise((resolve, reject) => {
        child.stdin.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()))
      }),
    close: () => child.stop(options.grace),
  }
  return transport

  function endServer(): void {
    void child.stop(options.grace)
  }

  function receive(line: string): void {
    const message = parseMessage(line)
    if (message === undefined) {
      if (line.trim() !== '') options.onNoise(line)
      return
    }
    if ('method' in message) transport.onmessage?.(message)
    // The SDK handles notifications one microtask later than responses: without this, progress sent just before its response is lost.
    else
      void Promise.resolve()
        .then(noop)
        .then(() => transport.onmessage?.(message))
  }

  function giveUp(): void {
    const limit = `${Math.round(options.maxLineBytes / 2 ** 20)} MiB`
    options.onFailure(
      new CapstanError(
        'limit_exceeded',
        `Server "${options.server}" sent a message larger than ${limit}, so the connection was closed.`,
        {
          server: options.server,
          next: 'Ask the tool for less at a time.',
        },
      ),
    )
    child.kill()
  }
}

function noop(): void {}

/** Some runtimes write one before their first line: taken for noise, it would cost the answer that the start waits for. */
const byteOrderMark = /^\uFEFF/

function parseMessage(line: string): JSONRPCMessage | undefined {
  try {
    const value: unknown = JSON.parse(line.replace(byteOrderMark, ''))
    const isMessage = typeof value === 'object' && value !== null && 'jsonrpc' in value && value.jsonrpc === '2.0'
    return isMessage ? (value as JSONRPCMessage) : undefined
  } catch {
    return undefined
  }
}
