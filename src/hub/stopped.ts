import { CapstanError } from '../errors.ts'

/** What a stopped wait means to the person: their own Ctrl-C, or a limit that ran out. */
export function stopped(signal: AbortSignal, what: string, server?: string): CapstanError {
  const reason: unknown = signal.reason
  if (reason instanceof CapstanError) return reason
  const isTimeout = reason instanceof DOMException && reason.name === 'TimeoutError'
  return isTimeout
    ? new CapstanError('timed_out', `Time ran out for ${what}.`, {
        server,
        cause: reason,
        next: 'Allow more time with --timeout SECONDS.',
      })
    : new CapstanError('cancelled', `Cancelled: ${what}.`, { server, cause: reason })
}

/** Waits for work that others share and that therefore goes on when this caller gives up. */
export async function waitFor<Value>(
  work: Promise<Value>,
  signal: AbortSignal | undefined,
  what: string,
): Promise<Value> {
  if (signal === undefined) return work
  if (signal.aborted) throw stopped(signal, what)
  let onAbort: (() => void) | undefined
  const givenUp = new Promise<never>((_, reject) => {
    onAbort = () => reject(stopped(signal, what))
    signal.addEventListener('abort', onAbort, { once: true })
  })
  try {
    return await Promise.race([work, givenUp])
  } finally {
    if (onAbort !== undefined) signal.removeEventListener('abort', onAbort)
  }
}
