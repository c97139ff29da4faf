import type { ToolEntry } from '../../src/hub/api.ts'
import { makeToolSearch } from '../../src/hub/search/search.ts'
import { median } from '../measure.ts'

export interface Latency {
  readonly tools: number
  readonly buildMs: number
  readonly medianMs: number
  readonly p95Ms: number
  readonly slowestMs: number
}

/** What the first query pays to build the index, and what each query after it costs. */
export function measureLatency(tools: readonly ToolEntry[], queries: readonly string[]): Latency {
  const search = makeToolSearch(tools)
  const buildMs = timed(() => search('warm up'))
  for (const query of queries.slice(0, 20)) search(query)
  const times = queries
    // The median of three: a garbage collection or a busy core is not the query's doing.
    .map((query) => median([1, 2, 3].map(() => timed(() => search(query)))))
    .sort((a, b) => a - b)
  const at = (part: number): number => times[Math.ceil(times.length * part) - 1] ?? Number.NaN
  return { tools: tools.length, buildMs, medianMs: at(0.5), p95Ms: at(0.95), slowestMs: at(1) }
}

function timed(work: () => unknown): number {
  const startedAtMs = performance.now()
  work()
  return performance.now() - startedAtMs
}

/** As many tools as asked for, made from real ones. Each copy has a word of its own, so that the vocabulary grows as well. */
export function multiply(tools: readonly ToolEntry[], wanted: number): readonly ToolEntry[] {
  return Array.from({ length: wanted }, (_, index) => {
    const tool = tools[index % tools.length]
    if (tool === undefined) throw new Error('There are no tools to multiply.')
    const copy = Math.floor(index / tools.length)
    if (copy === 0) return tool
    const server = `${tool.server}-${copy}`
    const name = `${tool.tool}_${madeUpWord(index)}`
    return { ...tool, server, tool: name, id: `${server}.${name}`, modelName: `${server}__${name}` }
  })
}

function madeUpWord(number: number): string {
  const syllables = ['ba', 'ko', 'ri', 'tu', 'ne', 'sol', 'mar', 'vik', 'den', 'pal']
  return Array.from(String(number), (digit) => syllables[Number(digit)] ?? '').join('')
}
