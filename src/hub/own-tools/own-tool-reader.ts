import type { OwnTool } from '../../config/types.ts'
import type { Sandbox } from '../../sandbox/api.ts'
import type { ListingCache } from '../catalogue/listing-cache.ts'
import { isLate, storedFacts, storeFacts, type OwnToolFacts } from './own-tool-store.ts'
import { readOwnTool } from './read-own-tool.ts'
import { waitFor } from '../wait-for.ts'

interface ReaderSetup {
  readonly cache: ListingCache
  readonly sandbox: () => Promise<Sandbox>
}

interface ReadOptions {
  readonly signal?: AbortSignal | undefined
  /** Try again what could not be read in time before. */
  readonly fresh?: boolean | undefined
}

/** Knows what tool files say: from memory, from disk, or by running their top level, once for all who ask. */
export function ownToolReader({ cache, sandbox }: ReaderSetup) {
  const known = new Map<string, OwnToolFacts>()
  const reading = new Map<string, Promise<OwnToolFacts>>()

  return async (tool: OwnTool, { signal, fresh = false }: ReadOptions): Promise<OwnToolFacts> => {
    const key = `${tool.file}\n${tool.code}`
    const before = known.get(key) ?? storedFacts(cache, tool)
    if (before !== undefined && !(fresh && isLate(before))) return before
    const underWay = reading.get(key) ?? read(tool, key).finally(() => reading.delete(key))
    reading.set(key, underWay)
    return waitFor(underWay, signal, `the tool my.${tool.name}`)
  }

  async function read(tool: OwnTool, key: string): Promise<OwnToolFacts> {
    const facts = await readOwnTool(tool, await sandbox())
    known.set(key, facts)
    storeFacts(cache, tool, facts)
    return facts
  }
}
