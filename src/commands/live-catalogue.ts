import type { Catalogue, Hub, HubEvent, ServerStatus } from '../hub/api.ts'

/** What all servers offer, kept up to date as they say that it changes. */
export interface LiveCatalogue extends Disposable {
  /** What is known now; the same object until something changes. */
  readonly current: () => Catalogue
  readonly statuses: () => readonly ServerStatus[]
  /** The servers that are meant to be used and have not said yet what they offer. */
  readonly silent: () => readonly string[]
  /** Asks these servers again, or all that have not answered yet, and waits for them. */
  readonly refresh: (options: { readonly servers?: readonly string[]; readonly signal?: AbortSignal }) => Promise<void>
  readonly on: (listener: () => void) => Disposable
}

export interface LiveCatalogueOptions {
  /** Changes that come together are asked about once. */
  readonly debounceMs?: number
}

/**
 * Asks each server by itself, so that a slow one holds up no other. A server that fails keeps the list it had; one that is disabled
 * or gone loses it.
 */
export function openLiveCatalogue(hub: Hub, { debounceMs = 50 }: LiveCatalogueOptions = {}): LiveCatalogue {
  const known = new Map<string, Catalogue>()
  const turns = new Map<string, number>()
  const dirty = new Set<string>()
  const listeners = new Set<() => void>()
  const closed = new AbortController()
  let statuses: readonly ServerStatus[] = []
  let snapshot: Catalogue | undefined
  let timer: NodeJS.Timeout | undefined
  const hearing = hub.on(hear)
  void refresh({})

  return {
    current: () => (snapshot ??= joined([...known].toSorted(byName).map(([, own]) => own))),
    statuses: () => statuses,
    silent: () => usableNames().filter((name) => !known.has(name)),
    refresh,
    on(listener) {
      const own = () => listener()
      listeners.add(own)
      return { [Symbol.dispose]: () => void listeners.delete(own) }
    },
    [Symbol.dispose]() {
      clearTimeout(timer)
      closed.abort()
      hearing[Symbol.dispose]()
      listeners.clear()
    },
  }

  function hear(event: HubEvent): void {
    if (event.kind === 'catalogue') schedule(event.server)
    if (event.kind !== 'state') return
    statuses = statuses.map((status) => (status.name === event.server ? { ...status, state: event.state } : status))
    const isNew = statuses.every(({ name }) => name !== event.server)
    if (event.state.kind === 'ready' || event.state.kind === 'disabled' || isNew) schedule(event.server)
    else changed()
  }

  function schedule(server: string): void {
    dirty.add(server)
    clearTimeout(timer)
    timer = setTimeout(() => {
      const servers = [...dirty]
      dirty.clear()
      void refresh({ servers })
    }, debounceMs)
    timer.unref()
  }

  async function refresh({ servers, signal }: { servers?: readonly string[]; signal?: AbortSignal }): Promise<void> {
    const until = signal === undefined ? closed.signal : AbortSignal.any([signal, closed.signal])
    try {
      statuses = await hub.servers({ signal: until })
    } catch {
      // The hub is gone or nobody waits any more; what is known stays.
      return
    }
    const names = usableNames()
    for (const name of known.keys()) if (!names.includes(name)) known.delete(name)
    changed()
    const wanted = servers ?? names.filter((name) => !known.has(name))
    await Promise.all(names.filter((name) => wanted.includes(name)).map((name) => look(name, until)))
  }

  function usableNames(): readonly string[] {
    const usable = statuses.filter(({ state }) => state.kind !== 'disabled' && state.kind !== 'untrusted')
    return usable.map(({ name }) => name)
  }

  async function look(server: string, signal: AbortSignal): Promise<void> {
    const turn = (turns.get(server) ?? 0) + 1
    turns.set(server, turn)
    try {
      const answer = await hub.catalogue({ servers: [server], signal })
      const isThere = answer.servers.some((coverage) => coverage.server === server && coverage.kind !== 'missing')
      // A later question may have been answered first.
      if (!isThere || turns.get(server) !== turn) return
      known.set(server, answer)
      changed()
    } catch {
      // Its state says why; the list it had stays.
    }
  }

  function changed(): void {
    if (closed.signal.aborted) return
    snapshot = undefined
    for (const listener of listeners) listener()
  }
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function joined(parts: readonly Catalogue[]): Catalogue {
  return {
    tools: parts.flatMap(({ tools }) => tools),
    prompts: parts.flatMap(({ prompts }) => prompts),
    resources: parts.flatMap(({ resources }) => resources),
    templates: parts.flatMap(({ templates }) => templates),
    servers: parts.flatMap(({ servers }) => servers),
  }
}
