import { CapstanError, type ErrorJson } from '../errors.ts'
import type { Catalogue, Coverage, Hub, HubEvent, ListKind, ServerStatus, WaitOptions } from '../hub/api.ts'
import { buildCatalogue, noLists, type Lists } from '../hub/catalogue/catalogue.ts'
import { waitFor } from '../hub/wait-for.ts'

/** The catalogue of a hub, kept at hand: a look never waits for a server that was seen before. */
export interface LiveCatalogue extends Disposable {
  /** What is known now. Only servers that were never seen are waited for, no longer than the hub's own deadline. */
  readonly now: (wait?: WaitOptions) => Promise<Catalogue>
  /** What is known at this moment, without waiting for anything. */
  readonly atHand: () => Catalogue
  /** Tells which lists are not what they were, soon after, and once for changes of the same moment. */
  readonly onChange: (listener: (kinds: ReadonlySet<ListKind>) => void) => Disposable
  /** Tells of lists that are not what they were for a reason of the caller's own. */
  readonly announce: (kinds: readonly ListKind[]) => void
  /** What a server says it is for, where that is known already. */
  readonly describe: (server: string) => string | undefined
  /** Looks at all servers again, also at which there are. */
  readonly refresh: () => Promise<void>
  /** Looks at one server again, which may have been mended without a word to us. */
  readonly look: (server: string, wait?: WaitOptions) => Promise<void>
}

export interface LiveOptions {
  /** What was seen earlier, from disk; `isWhole` when no server is missing in it, so that nobody has to wait for the hub. */
  readonly seen?: { readonly catalogue: Catalogue; readonly isWhole: boolean } | undefined
  readonly isWanted: (status: ServerStatus) => boolean
  readonly note: (text: string) => void
  /** How long changes are gathered before they are told. */
  readonly settleMs?: number
  /** How soon a server is looked at again whose lists did not come by the deadline. */
  readonly lateMs?: number
}

interface Part {
  readonly coverage: Coverage
  readonly lists: Lists
}

export function liveCatalogue(hub: Hub, options: LiveOptions): LiveCatalogue {
  const { seen, isWanted, note, settleMs = 100, lateMs = 1000 } = options
  const parts = new Map<string, Part>(seen === undefined ? [] : partsOf(seen.catalogue))
  const fetching = new Map<string, Promise<void>>()
  const again = new Set<string>()
  const listeners = new Set<(kinds: ReadonlySet<ListKind>) => void>()
  const changed = new Set<ListKind>()
  const descriptions = new Map<string, string>()
  const late = new Map<string, NodeJS.Timeout>()
  let merged: Catalogue | undefined
  let wanted: readonly string[] | undefined
  let settling: NodeJS.Timeout | undefined
  const listening = hub.on(onEvent)
  let refreshing = refresh()
  refreshing.catch(() => {})

  return {
    async now({ signal } = {}) {
      if (wanted === undefined && seen?.isWhole !== true) await waitFor(listServers(), signal, 'the list of servers')
      const unseen = (wanted ?? []).filter((name) => !parts.has(name)).map(async (name) => fetching.get(name))
      await waitFor(Promise.all(unseen), signal, 'servers that were never seen')
      return atHand()
    },
    atHand,
    onChange(listener) {
      const own = (kinds: ReadonlySet<ListKind>) => listener(kinds)
      listeners.add(own)
      return { [Symbol.dispose]: () => void listeners.delete(own) }
    },
    announce,
    describe: (server) => descriptions.get(server),
    refresh: () => (refreshing = refresh()),
    async look(server, { signal } = {}) {
      if (!isStillWanted(server)) return
      if (!fetching.has(server)) fetchSoon(server)
      await waitFor(fetching.get(server) ?? Promise.resolve(), signal, `server "${server}"`)
    },
    [Symbol.dispose]() {
      clearTimeout(settling)
      late.forEach((timer) => clearTimeout(timer))
      listening[Symbol.dispose]()
      listeners.clear()
    },
  }

  function atHand(): Catalogue {
    return (merged ??= buildCatalogue([...parts].filter(([name]) => isStillWanted(name)).map(([, part]) => part)))
  }

  function isStillWanted(name: string): boolean {
    return wanted === undefined || wanted.includes(name)
  }

  /** A hub that could not be reached is asked anew. */
  function listServers(): Promise<void> {
    return refreshing.catch(() => (refreshing = refresh()))
  }

  async function refresh(): Promise<void> {
    const statuses = await hub.servers()
    wanted = statuses.filter((status) => status.state.kind !== 'disabled' && isWanted(status)).map(({ name }) => name)
    for (const { name, description } of statuses) if (description !== undefined) descriptions.set(name, description)
    change(() => {
      for (const name of parts.keys()) if (!isStillWanted(name)) parts.delete(name)
    })
    for (const name of wanted) fetchSoon(name)
  }

  /** Each server by itself, so that a slow one holds up no other. */
  function fetchSoon(name: string): void {
    if (fetching.has(name)) return void again.add(name)
    const fetched = fetchPart(name)
      .catch((error: unknown) => note(`The lists of server "${name}" could not be had: ${String(error)}`))
      .finally(() => {
        fetching.delete(name)
        if (again.delete(name)) fetchSoon(name)
      })
    fetching.set(name, fetched)
  }

  async function fetchPart(name: string): Promise<void> {
    const { servers, ...lists } = await hub.catalogue({ servers: [name] })
    const [coverage] = servers
    if (coverage === undefined || !isStillWanted(name)) return
    // The list of a server that is gone stays: its tools say what is the matter when they are called.
    const kept = coverage.kind === 'missing' ? parts.get(name)?.lists : undefined
    change(() => parts.set(name, { coverage, lists: kept ?? lists }))
    if ('error' in coverage && coverage.error.code === 'connect_timed_out') lookLater(name)
  }

  /** A list that comes after the deadline is told by nobody. */
  function lookLater(name: string): void {
    clearTimeout(late.get(name))
    late.set(name, setTimeout(() => isStillWanted(name) && fetchSoon(name), lateMs).unref())
  }

  function onEvent(event: HubEvent): void {
    // Most events are lines of logs, of which a server may write millions.
    if ((event.kind !== 'catalogue' && event.kind !== 'state') || !isStillWanted(event.server)) return
    if (event.kind === 'catalogue') return fetchSoon(event.server)
    if ('error' in event.state) mark(event.server, event.state.error)
    if (event.state.kind === 'ready') hasComeBack(event.server)
  }

  function hasComeBack(server: string): void {
    const kind = parts.get(server)?.coverage.kind
    // The look that is under way may be the one that started it, unless it has been in trouble since.
    const isOnItsWay = fetching.has(server) && (kind === undefined || kind === 'cached')
    if (kind !== 'listed' && !isOnItsWay) fetchSoon(server)
  }

  /** Its state says enough: to ask the server itself would start it, or try its login, once more. */
  function mark(server: string, error: ErrorJson): void {
    const part = parts.get(server)
    if (part === undefined) return
    const kind = Object.values(part.lists).some((list) => list.length > 0) ? 'stale' : 'missing'
    parts.set(server, { ...part, coverage: { kind, server, error } })
    merged = undefined
  }

  function change(apply: () => void): void {
    const before = atHand()
    apply()
    merged = undefined
    const after = atHand()
    announce(changedKinds(before, after))
  }

  function announce(told: readonly ListKind[]): void {
    for (const kind of told) changed.add(kind)
    if (changed.size > 0) settling ??= setTimeout(tell, settleMs).unref()
  }

  function tell(): void {
    settling = undefined
    const told = new Set(changed)
    changed.clear()
    for (const listener of listeners) listener(told)
  }
}

const kinds: readonly ListKind[] = ['tools', 'prompts', 'resources', 'templates']

export function changedKinds(before: Catalogue, after: Catalogue): readonly ListKind[] {
  return kinds.filter((kind) => JSON.stringify(before[kind]) !== JSON.stringify(after[kind]))
}

function partsOf(seen: Catalogue): readonly (readonly [string, Part])[] {
  return seen.servers.map((coverage) => {
    const own = <Entry extends { readonly server: string }>(entries: readonly Entry[]) =>
      entries.filter(({ server }) => server === coverage.server)
    const { tools, prompts, resources, templates } = seen
    const lists = { tools: own(tools), prompts: own(prompts), resources: own(resources), templates: own(templates) }
    return [coverage.server, { coverage, lists: { ...noLists, ...lists } }] as const
  })
}

/** Why nothing can be had of a server just now, in the words that its tools answer with; undefined when it answers. */
export function troubleOf({ servers }: Catalogue, server: string): CapstanError | undefined {
  const coverage = servers.find((one) => one.server === server)
  return coverage !== undefined && 'error' in coverage ? CapstanError.fromJSON(coverage.error) : undefined
}
