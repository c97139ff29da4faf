/** A number of places, and a queue in front of them. */
export interface Slots {
  /** True when a place is taken, false when the signal came first. */
  take(signal: AbortSignal): Promise<boolean>
  free(): void
}

export function createSlots(count: number): Slots {
  const queue = new Set<() => void>()
  let left = count

  async function waitInLine(signal: AbortSignal): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const enter = (): void => resolve(true)
    const leave = (): void => {
      if (queue.delete(enter)) resolve(false)
    }
    queue.add(enter)
    signal.addEventListener('abort', leave, { once: true })
    return promise.finally(() => signal.removeEventListener('abort', leave))
  }

  return {
    async take(signal) {
      if (signal.aborted) return false
      if (left === 0) return waitInLine(signal)
      left--
      return true
    },
    free() {
      const [next] = queue
      if (next === undefined) {
        left++
        return
      }
      queue.delete(next)
      next()
    },
  }
}
