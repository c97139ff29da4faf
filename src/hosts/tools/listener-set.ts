/** Who wants to hear of something. */
export interface ListenerSet<Event> {
  readonly add: (listener: (event: Event) => void) => Disposable
  readonly tell: (event: Event) => void
  readonly clear: () => void
}

export function listenerSet<Event>(): ListenerSet<Event> {
  const listeners = new Set<(event: Event) => void>()
  return {
    add(listener) {
      // A function of its own for each, so that who listens twice can stop once.
      const own = (event: Event) => listener(event)
      listeners.add(own)
      return { [Symbol.dispose]: () => void listeners.delete(own) }
    },
    tell: (event) => listeners.forEach((listener) => notify(listener, event)),
    clear: () => listeners.clear(),
  }
}

function notify<Event>(listener: (event: Event) => void, event: Event): void {
  try {
    listener(event)
  } catch (error) {
    // A bug of the listener's: it must reach the top, but not through the middle of our own work.
    queueMicrotask(() => {
      throw error
    })
  }
}
