import { CapstanError, type Coverage, type ErrorJson, type Hub, type HubEvent, type ToolEntry } from '../../index.ts'
import { listenerSet } from './listener-set.ts'

/** How one server stands with the manager. */
export type ServerReport =
  | { readonly kind: 'ready'; readonly server: string; readonly tools: number }
  /** It does not answer just now; its tools are those it had before. */
  | { readonly kind: 'stale'; readonly server: string; readonly tools: number; readonly error: ErrorJson }
  | { readonly kind: 'failed'; readonly server: string; readonly error: ErrorJson }
  /** It is a project's, and nobody has approved it. */
  | { readonly kind: 'untrusted'; readonly server: string; readonly error: ErrorJson }

/** The tools of a hub, kept at hand. A look never waits. */
export interface LiveTools extends Disposable {
  readonly now: () => readonly ToolEntry[]
  readonly reports: () => readonly ServerReport[]
  /** Asks all servers at once; comes back with what is there at the hub's own deadline. */
  readonly refresh: (options?: { readonly signal?: AbortSignal }) => Promise<void>
  readonly onChange: (listener: () => void) => Disposable
}

interface Part {
  readonly coverage: Coverage
  readonly tools: readonly ToolEntry[]
}

export function liveTools(hub: Hub): LiveTools {
  let parts: ReadonlyMap<string, Part> = new Map()
  const fetching = new Map<string, Promise<void>>()
  const again = new Set<string>()
  const listeners = listenerSet<void>()
  /** During a look at all servers: those that came up, and those of which we know more than it will say. */
  const cameUp = new Set<string>()
  const knownBetter = new Set<string>()
  let refreshes = 0
  let isClosed = false
  const listening = hub.on(onEvent)

  return {
    now: () => [...parts.values()].flatMap(({ tools }) => tools),
    reports: () => [...parts.values()].map(reportOf),
    async refresh(options = {}) {
      refreshes += 1
      try {
        const { servers, tools } = await hub.catalogue({ kinds: ['tools'], ...options })
        const others = servers.filter(({ server }) => !knownBetter.has(server))
        const kept = [...parts].filter(([server]) => knownBetter.has(server))
        take(new Map([...others.map((coverage) => [coverage.server, partOf(coverage, tools)] as const), ...kept]))
      } finally {
        refreshes -= 1
      }
      // They were late, but only just.
      for (const server of cameUp) if (parts.get(server)?.coverage.kind === 'missing') fetchSoon(server)
      cameUp.clear()
      knownBetter.clear()
    },
    onChange: listeners.add,
    [Symbol.dispose]() {
      isClosed = true
      listening[Symbol.dispose]()
      listeners.clear()
    },
  }

  function onEvent(event: HubEvent): void {
    if (event.kind === 'catalogue' && event.difference.kind === 'tools') return fetchSoon(event.server)
    if (event.kind !== 'state') return
    const { server, state } = event
    if (state.kind === 'disabled') return forget(server)
    if ('error' in state) return lose(server, state.error)
    const known = parts.get(server)?.coverage.kind
    // A look at all servers lists them as they come up; later one that was missing is news, and one that nobody has seen.
    if (refreshes > 0) return void (state.kind === 'ready' && cameUp.add(server))
    const isNews = state.kind === 'ready' ? known !== 'listed' : state.kind === 'idle' && known === undefined
    if (isNews) fetchSoon(server)
  }

  /** Each server by itself, so that a slow one holds up no other. */
  function fetchSoon(server: string): void {
    if (fetching.has(server)) return void again.add(server)
    const fetched = fetchPart(server).finally(() => {
      fetching.delete(server)
      if (again.delete(server) && !isClosed) fetchSoon(server)
    })
    fetching.set(server, fetched)
  }

  async function fetchPart(server: string): Promise<void> {
    try {
      const { servers, tools } = await hub.catalogue({ servers: [server], kinds: ['tools'] })
      const [coverage] = servers
      if (coverage === undefined) return
      if (refreshes > 0) knownBetter.add(server)
      take(new Map([...parts, [server, partOf(coverage, tools)]]))
    } catch (error) {
      // The server has left the config, or the hub is closing.
      if (!(error instanceof CapstanError)) throw error
      forget(server)
    }
  }

  /** A server that is gone keeps its tools: they say what is the matter when they are called. */
  function partOf(coverage: Coverage, tools: readonly ToolEntry[]): Part {
    const { server } = coverage
    const listed = tools.filter((tool) => tool.server === server)
    const isLost = coverage.kind === 'missing' && coverage.error.code !== 'not_trusted'
    const before = isLost ? (parts.get(server)?.tools ?? []) : []
    return { coverage, tools: listed.length > 0 ? listed : before }
  }

  function lose(server: string, error: ErrorJson): void {
    const known = parts.get(server)
    if (known !== undefined) take(new Map([...parts, [server, partOf({ kind: 'missing', server, error }, [])]]))
  }

  function forget(server: string): void {
    if (refreshes > 0) knownBetter.add(server)
    take(new Map([...parts].filter(([name]) => name !== server)))
  }

  function take(next: ReadonlyMap<string, Part>): void {
    if (isClosed) return
    const before = parts
    parts = new Map([...next].sort(([a], [b]) => (a < b ? -1 : 1)))
    if (JSON.stringify([...before]) === JSON.stringify([...parts])) return
    listeners.tell()
  }
}

function reportOf({ coverage, tools }: Part): ServerReport {
  const { server } = coverage
  if (coverage.kind === 'listed' || coverage.kind === 'cached') return { kind: 'ready', server, tools: tools.length }
  const { error } = coverage
  if (error.code === 'not_trusted') return { kind: 'untrusted', server, error }
  return tools.length > 0 ? { kind: 'stale', server, tools: tools.length, error } : { kind: 'failed', server, error }
}
