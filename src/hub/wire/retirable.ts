/** A connection that can be given up without cutting off the requests that are still under way on it. */
export interface Retirable {
  /** Resolves when it has been retired or has ended by itself. */
  readonly closed: Promise<void>
  readonly track: <Value>(work: Promise<Value>) => Promise<Value>
  /** From now on it is of no more use; it is closed when nothing is under way. */
  readonly retire: () => void
}

export function retirable(ended: Promise<void>, close: () => Promise<void>): Retirable {
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  void ended.then(resolve)
  let underWay = 0
  let isRetired = false

  return {
    closed,
    async track(work) {
      underWay++
      try {
        return await work
      } finally {
        underWay--
        closeWhenIdle()
      }
    },
    retire() {
      isRetired = true
      resolve()
      closeWhenIdle()
    },
  }

  function closeWhenIdle(): void {
    // Nobody uses it any more, so nobody is concerned when it does not close cleanly.
    if (isRetired && underWay === 0) close().catch(() => {})
  }
}
