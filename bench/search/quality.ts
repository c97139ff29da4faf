import type { ToolSearch } from '../../src/hub/search/search.ts'

export interface LabelledQuery {
  readonly query: string
  /** The tools that answer it, as `server.tool`; any of them will do. */
  readonly expected: readonly string[]
  readonly kind: 'words' | 'question' | 'typo' | 'synonym'
}

export interface Quality {
  readonly queries: number
  /** The share of queries that have an expected tool first, or among the first five. */
  readonly recallAt1: number
  readonly recallAt5: number
  /** The mean of 1 / rank of the first expected tool; 0 where it is not among the first ten. */
  readonly meanReciprocalRank: number
  readonly missed: readonly string[]
}

export function measureQuality(search: ToolSearch, queries: readonly LabelledQuery[]): Quality {
  const ranks = queries.map(({ query, expected }) => {
    const at = search(query, { limit: 10 }).findIndex(({ tool }) => expected.includes(tool.id))
    return at < 0 ? Number.POSITIVE_INFINITY : at + 1
  })
  const share = (rank: number): number => ranks.filter((found) => found <= rank).length / ranks.length
  return {
    queries: queries.length,
    recallAt1: share(1),
    recallAt5: share(5),
    meanReciprocalRank: ranks.reduce((sum, rank) => sum + 1 / rank, 0) / ranks.length,
    missed: queries.filter((_, index) => (ranks[index] ?? 0) > 5).map(({ query }) => query),
  }
}
