import type { Hub, HubEvent } from '../../hub/api.ts'

/** A hub that is still being opened: what is asked of it waits, and whoever listens will hear. */
export function lateHub(opening: Promise<Hub>): Hub {
  return {
    servers: async (...asked) => (await opening).servers(...asked),
    catalogue: async (...asked) => (await opening).catalogue(...asked),
    call: async (...asked) => (await opening).call(...asked),
    prompt: async (...asked) => (await opening).prompt(...asked),
    complete: async (...asked) => (await opening).complete(...asked),
    read: async (...asked) => (await opening).read(...asked),
    subscribe: async (...asked) => (await opening).subscribe(...asked),
    unsubscribe: async (...asked) => (await opening).unsubscribe(...asked),
    search: async (...asked) => (await opening).search(...asked),
    exec: async (...asked) => (await opening).exec(...asked),
    control: async (...asked) => (await opening).control(...asked),
    logs: async (...asked) => (await opening).logs(...asked),
    on: (listener) => listenLater(opening, listener),
    async [Symbol.asyncDispose]() {
      await (await opening)[Symbol.asyncDispose]()
    },
  }
}

function listenLater(opening: Promise<Hub>, listener: (event: HubEvent) => void): Disposable {
  let isOver = false
  let hearing: Disposable | undefined
  // Whoever opens the hub says why it cannot be had.
  void listen().catch(() => undefined)
  return {
    [Symbol.dispose]() {
      isOver = true
      hearing?.[Symbol.dispose]()
    },
  }

  async function listen(): Promise<void> {
    const hub = await opening
    if (!isOver) hearing = hub.on(listener)
  }
}
