import type { PromptSearch } from '../../src/prompts/search.ts'

export interface LabelledQuery {
  readonly query: string
  /** The prompts that answer it, by name; any of them will do. */
  readonly expected: readonly string[]
  readonly kind: string
}

export interface Quality {
  readonly queries: number
  /** The share of queries that have an expected prompt first, or among the first five. */
  readonly hitAt1: number
  readonly hitAt5: number
  /** The mean of 1 / rank of the first expected prompt; 0 where it is not among the first ten. */
  readonly meanReciprocalRank: number
  readonly missed: readonly string[]
}

export async function measureQuality(search: PromptSearch, queries: readonly LabelledQuery[]): Promise<Quality> {
  const ranks: number[] = []
  for (const { query, expected } of queries) {
    const hits = await search.search(query, { limit: 10 })
    const at = hits.findIndex(({ stored }) => expected.includes(stored.prompt.name))
    ranks.push(at < 0 ? Number.POSITIVE_INFINITY : at + 1)
  }
  const share = (rank: number): number => ranks.filter((found) => found <= rank).length / ranks.length
  return {
    queries: queries.length,
    hitAt1: share(1),
    hitAt5: share(5),
    meanReciprocalRank: ranks.reduce((sum, rank) => sum + 1 / rank, 0) / ranks.length,
    missed: queries.filter((_, index) => (ranks[index] ?? 0) > 5).map(({ query }) => query),
  }
}
