import { stopped } from '../errors.ts'

/** Waits for work that others share and that therefore goes on when this caller gives up. */
export async function waitFor<Value>(
  work: Promise<Value>,
  signal: AbortSignal | undefined,
  what: string,
): Promise<Value> {
  if (signal === undefined) return work
  if (signal.aborted) {
    // Nobody waits for this work any more; unheard, its failure would end the whole process.
    work.catch(() => {})
    throw stopped(signal, what)
  }
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
