import type { Config, ConfiguredServer, OwnTool } from '../../config/types.ts'
import { toolExists } from '../../policy/decide.ts'
import type { Catalogue, Coverage, ListKind } from '../api.ts'
import { buildCatalogue, noLists, readList, type Lists } from './catalogue.ts'
import { listingKey, type ListingCache } from './listing-cache.ts'
import { storedFacts } from '../own-tools/own-tool-store.ts'

export interface DiskQuestion {
  readonly servers: readonly string[]
  readonly kinds: readonly ListKind[]
  /** Listings older than this do not count. */
  readonly maxAgeMs: number
  readonly nowMs: number
  /** What belongs to the answer and is known without a disk. */
  readonly others?: readonly ServerAnswer[]
}

interface ServerAnswer {
  readonly coverage: Coverage
  readonly lists: Lists
}

/** The catalogue as it was last seen, without starting anything; undefined when a server of it has not been seen lately. */
export function diskCatalogue(config: Config, cache: ListingCache, question: DiskQuestion): Catalogue | undefined {
  const wanted = config.servers.filter(
    (server) => question.servers.includes(server.name) && server.standing.kind !== 'disabled',
  )
  const answers = wanted.map((server) => cachedServer(server, { config, cache, question }))
  return answers.every((answer) => answer !== undefined)
    ? buildCatalogue([...answers, ...(question.others ?? [])])
    : undefined
}

interface DiskContext {
  readonly config: Config
  readonly cache: ListingCache
  readonly question: DiskQuestion
}

function cachedServer(
  spec: ConfiguredServer,
  { config, cache, question: { kinds, maxAgeMs, nowMs } }: DiskContext,
): { readonly coverage: Coverage; readonly lists: Lists } | undefined {
  if (spec.standing.kind === 'own') return ownTools(spec.name, spec.standing.tools, { cache, nowMs })
  if (spec.standing.kind !== 'usable') return undefined
  const cached = cache.read(listingKey(spec, config.surroundings))
  if (cached === undefined || nowMs - cached.savedAtMs > maxAgeMs) return undefined
  if (!kinds.every((kind) => cached.lists[kind] !== undefined)) return undefined
  const { tools } = spec.standing.server
  const read = kinds.map((kind) => [kind, readList(kind, spec.name, cached.lists[kind] ?? []).entries] as const)
  const lists: Lists = { ...noLists, ...Object.fromEntries(read) }
  return {
    coverage: { kind: 'cached', server: spec.name, savedAtMs: cached.savedAtMs },
    lists: { ...lists, tools: lists.tools.filter((tool) => toolExists(tools, tool.tool)) },
  }
}

/** What is kept of a tool file belongs to its very text, which has just been read: however old, it is what the file says now. */
function ownTools(
  server: string,
  tools: readonly OwnTool[],
  { cache, nowMs }: { readonly cache: ListingCache; readonly nowMs: number },
): { readonly coverage: Coverage; readonly lists: Lists } | undefined {
  const known = tools.filter(({ standing }) => standing.kind === 'usable').map((tool) => storedFacts(cache, tool))
  if (!known.every((facts) => facts !== undefined)) return undefined
  const definitions = known.flatMap((facts) => (facts.kind === 'tool' ? [facts.definition] : []))
  // With none of them left there is a reason to tell, and the server tells it.
  if (definitions.length === 0) return undefined
  return {
    coverage: { kind: 'cached', server, savedAtMs: nowMs },
    lists: { ...noLists, tools: readList('tools', server, definitions).entries },
  }
}
