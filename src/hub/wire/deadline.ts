/** The limits of one request: time without a sign of life, and time in all. */
export interface Deadline extends Disposable {
  /** Aborted when either limit is over or the caller gives up. */
  readonly signal: AbortSignal
  /** Which limit is over, if one is. */
  readonly passed: () => 'idle' | 'max' | undefined
  /** A sign of life: the idle time starts anew. */
  readonly touch: () => void
  /** The idle time stands still for as long as the server waits for a person. */
  readonly whileAsking: <Value>(asking: Promise<Value>) => Promise<Value>
}

interface DeadlineSetup {
  readonly idleMs: number
  readonly maxMs: number
  readonly signal?: AbortSignal | undefined
}

/** Ours and not the SDK's: that one looks at the time in all only when progress comes, and counts while a person thinks. */
export function startDeadline({ idleMs, maxMs, signal }: DeadlineSetup): Deadline {
  const over = new AbortController()
  const startedAt = performance.now()
  let lastSignAt = startedAt
  let asking = 0
  let passed: 'idle' | 'max' | undefined
  let timer = setTimeout(look, Math.min(idleMs, maxMs))
  const giveUp = () => over.abort(signal?.reason)
  if (signal?.aborted) giveUp()
  else signal?.addEventListener('abort', giveUp, { once: true })

  return {
    signal: over.signal,
    passed: () => passed,
    touch() {
      lastSignAt = performance.now()
    },
    async whileAsking(answer) {
      asking += 1
      try {
        return await answer
      } finally {
        asking -= 1
        lastSignAt = performance.now()
      }
    },
    [Symbol.dispose]() {
      clearTimeout(timer)
      signal?.removeEventListener('abort', giveUp)
    },
  }

  /** One timer for both limits, set again for what is left: signs of life are many and cost nothing this way. */
  function look(): void {
    const now = performance.now()
    const leftInAll = maxMs - (now - startedAt)
    const leftIdle = idleMs - (asking > 0 ? 0 : now - lastSignAt)
    // Timers may fire a fraction early.
    if (leftInAll > 1 && leftIdle > 1) {
      timer = setTimeout(look, Math.min(leftInAll, leftIdle))
      return
    }
    passed = leftInAll <= 1 ? 'max' : 'idle'
    over.abort(new DOMException('a limit of the request is over', 'TimeoutError'))
  }
}
