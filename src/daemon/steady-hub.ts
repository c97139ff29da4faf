import type { Hub, HubEvent, ResourceRef } from '../hub/api.ts'

/** A hub that was opened, and when it is of no more use. */
export interface Reached {
  readonly hub: Hub
  /** Resolves when it was lost by nobody's wish: the daemon has ended. */
  readonly lost?: Promise<void> | undefined
}

export interface SteadyOptions {
  readonly open: () => Promise<Reached>
  /** It was opened again: what was known of it may not be true any more. */
  readonly onReopened: () => void
  readonly note: (text: string) => void
  /** Between a failed try and the next one; it doubles up to a minute. */
  readonly firstPauseMs?: number
}

export interface SteadyHub extends Hub {
  /** Takes a new hub in place of the one at hand, which ends when its last request has been answered. */
  readonly replace: () => Promise<void>
}

interface Live {
  readonly hub: Hub
  readonly listening: Disposable
  underWay: number
  isRetired: boolean
}

const longestPauseMs = 60_000

/** One hub to its users, however often the one behind it has to be opened anew. Nothing that was sent is sent again. */
export function steadyHub({ open, onReopened, note, firstPauseMs = 500 }: SteadyOptions): SteadyHub {
  const listeners = new Set<(event: HubEvent) => void>()
  /** As often as it was asked for: a hub that is opened anew knows nothing of it. */
  const followed: ResourceRef[] = []
  let opening: Promise<Live> | undefined
  let retrying: NodeJS.Timeout | undefined
  let isClosed = false

  const reach = async <Result>(work: (hub: Hub) => Promise<Result>): Promise<Result> => {
    const live = await current()
    live.underWay += 1
    try {
      return await work(live.hub)
    } finally {
      live.underWay -= 1
      if (live.isRetired) await endIfIdle(live)
    }
  }

  return {
    servers: (...given) => reach((hub) => hub.servers(...given)),
    catalogue: (...given) => reach((hub) => hub.catalogue(...given)),
    call: (...given) => reach((hub) => hub.call(...given)),
    prompt: (...given) => reach((hub) => hub.prompt(...given)),
    complete: (...given) => reach((hub) => hub.complete(...given)),
    read: (...given) => reach((hub) => hub.read(...given)),
    async subscribe(resource, options) {
      await reach((hub) => hub.subscribe(resource, options))
      followed.push(resource)
    },
    async unsubscribe(resource, options) {
      const at = followed.findIndex(({ server, uri }) => server === resource.server && uri === resource.uri)
      if (at !== -1) followed.splice(at, 1)
      await reach((hub) => hub.unsubscribe(resource, options))
    },
    search: (...given) => reach((hub) => hub.search(...given)),
    exec: (...given) => reach((hub) => hub.exec(...given)),
    control: (...given) => reach((hub) => hub.control(...given)),
    logs: (...given) => reach((hub) => hub.logs(...given)),
    on(listener) {
      const own = (event: HubEvent) => listener(event)
      listeners.add(own)
      return { [Symbol.dispose]: () => void listeners.delete(own) }
    },
    async replace() {
      const before = opening
      const next = await openAnew()
      opening = Promise.resolve(next)
      const old = await before?.catch(() => undefined)
      if (old !== undefined) await retire(old)
      onReopened()
    },
    async [Symbol.asyncDispose]() {
      isClosed = true
      clearTimeout(retrying)
      const live = await opening?.catch(() => undefined)
      live?.listening[Symbol.dispose]()
      await live?.hub[Symbol.asyncDispose]()
    },
  }

  function current(): Promise<Live> {
    const mine = (opening ??= openAnew())
    mine.catch(() => {
      if (opening === mine) opening = undefined
    })
    return mine
  }

  async function openAnew(): Promise<Live> {
    const { hub, lost } = await open()
    const listening = hub.on((event) => listeners.forEach((listener) => listener(event)))
    const live: Live = { hub, listening, underWay: 0, isRetired: false }
    void lost?.then(() => comeBack(live))
    for (const resource of followed) void hub.subscribe(resource).catch((error: unknown) => note(String(error)))
    return live
  }

  /** Without being asked, because clients wait to hear of changes. */
  async function comeBack(live: Live): Promise<void> {
    if (isClosed || live.isRetired || (await opening?.catch(() => undefined)) !== live) return
    live.listening[Symbol.dispose]()
    note('The hub was lost; it is opened again.')
    opening = undefined
    retry(firstPauseMs)
  }

  function retry(pauseMs: number): void {
    retrying = setTimeout(() => {
      current().then(onReopened, (error: unknown) => {
        note(`The hub cannot be opened: ${String(error)}`)
        if (!isClosed) retry(Math.min(pauseMs * 2, longestPauseMs))
      })
    }, pauseMs).unref()
  }

  async function retire(live: Live): Promise<void> {
    live.isRetired = true
    live.listening[Symbol.dispose]()
    await endIfIdle(live)
  }

  async function endIfIdle(live: Live): Promise<void> {
    if (live.underWay === 0) await live.hub[Symbol.asyncDispose]()
  }
}
