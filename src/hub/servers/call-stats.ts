/** Counts calls and keeps the durations of the last ones. */
export interface CallStats {
  readonly timed: <Value>(call: () => Promise<Value>) => Promise<Value>
  readonly summary: () => { readonly calls: number; readonly p50Ms?: number; readonly p95Ms?: number }
}

const keptDurations = 200

export function callStats(): CallStats {
  const recentMs: number[] = []
  let calls = 0
  return {
    async timed(call) {
      const startedAt = performance.now()
      calls += 1
      try {
        return await call()
      } finally {
        recentMs.push(performance.now() - startedAt)
        if (recentMs.length > keptDurations) recentMs.shift()
      }
    },
    summary() {
      const sorted = recentMs.toSorted((a, b) => a - b)
      const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
      const [p50Ms, p95Ms] = [at(0.5), at(0.95)]
      return { calls, ...(p50Ms === undefined ? {} : { p50Ms }), ...(p95Ms === undefined ? {} : { p95Ms }) }
    },
  }
}
