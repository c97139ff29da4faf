import type { ToolEntry, ToolHit, ToolSearchOptions } from '../api.ts'
import type { ToolSearch } from './search.ts'

/** A search that is loaded with its first query and keeps its index while the tools stay the same. */
export function searchTools(): (
  tools: readonly ToolEntry[],
  query: string,
  wanted: ToolSearchOptions,
) => Promise<readonly ToolHit[]> {
  let built: { readonly key: string; readonly search: ToolSearch } | undefined
  return async (tools, query, wanted) => {
    const { makeToolSearch } = await import('./search.ts')
    const key = JSON.stringify(tools)
    if (built?.key !== key) built = { key, search: makeToolSearch(tools) }
    return built.search(query, wanted)
  }
}
