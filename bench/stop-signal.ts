const lookMs = 500

/**
 * Comes when the bench is told to end, so that what it started can be ended first. A signal to npm never gets here: npm passes it to a
 * shell, which dies of it and leaves us to another parent.
 */
export function stopSignal(): AbortSignal {
  const stopped = new AbortController()
  const stop = (why: string): void => stopped.abort(new Error(`${why}: everything that the bench started is ended.`))
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => stop(name))
  const parent = process.ppid
  const isOfNpm = process.env['npm_lifecycle_event'] !== undefined
  if (isOfNpm) setInterval(() => process.ppid !== parent && stop('Whoever started the bench is gone'), lookMs).unref()
  return stopped.signal
}

/** The work, or a failure as soon as the signal comes. */
export async function unless<Value>(signal: AbortSignal, work: Promise<Value>): Promise<Value> {
  const stopped = Promise.withResolvers<never>()
  const stop = (): void => stopped.reject(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  try {
    return await Promise.race([work, stopped.promise])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
