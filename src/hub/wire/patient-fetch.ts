import type { FetchLike } from '@modelcontextprotocol/client'

export interface PatientFetchSetup {
  readonly fetch: FetchLike
  readonly note: (text: string) => void
  readonly now?: () => number
}

/** Longer than this nobody waits unasked: the refusal is passed on, with the time in it. */
const longestWaitMs = 30_000
const maxTries = 3

/** A fetch that obeys `Retry-After`: what a busy server refused with 429 or 503 has not run, so it is sent again when it says. */
export function patientFetch({ fetch, note, now = Date.now }: PatientFetchSetup): FetchLike {
  return async (url, init) => {
    for (let tries = 1; ; tries++) {
      const response = await fetch(url, init)
      const waitMs = waitAsked(response, now())
      const isWorthIt = waitMs !== undefined && waitMs <= longestWaitMs && tries < maxTries
      // A body that is a stream has been read.
      const canRepeat = init?.body === undefined || typeof init.body === 'string'
      if (!isWorthIt || !canRepeat) return response
      await response.body?.cancel()
      note(`The server is busy (HTTP ${response.status}); it is asked again in ${Math.ceil(waitMs / 1000)} s.`)
      await waitOrAbort(waitMs, init?.signal ?? undefined)
    }
  }
}

/** Seconds, or a date (RFC 9110, 10.2.3). */
function waitAsked(response: Response, nowMs: number): number | undefined {
  if (response.status !== 429 && response.status !== 503) return undefined
  const said = response.headers.get('retry-after')
  if (said === null) return undefined
  const ms = /^\d+$/.test(said.trim()) ? Number(said) * 1000 : Date.parse(said) - nowMs
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined
}

function waitOrAbort(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error)
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    signal?.addEventListener('abort', stop, { once: true })
  })
}
