import type { Origin } from './types.ts'

/** The entries of one file, with where they came from. */
export interface LayerEntries {
  readonly origin: Origin
  readonly entries: ReadonlyMap<string, unknown>
}

export interface OriginatedEntry {
  readonly raw: unknown
  readonly origin: Origin
}

export interface MergedEntry extends OriginatedEntry {
  readonly name: string
  /** What this entry replaces, the strongest first. */
  readonly shadows: readonly OriginatedEntry[]
}

/**
 * One entry per name, in the order of names. A stronger layer replaces the whole entry of a weaker one: a mixture of two
 * entries would be a server that nobody wrote, and that nobody approved.
 */
export function mergeLayers(weakestFirst: readonly LayerEntries[]): readonly MergedEntry[] {
  const byName = new Map<string, MergedEntry>()
  for (const { origin, entries } of weakestFirst) {
    for (const [name, raw] of entries) {
      const replaced = byName.get(name)
      const shadows =
        replaced === undefined ? [] : [{ raw: replaced.raw, origin: replaced.origin }, ...replaced.shadows]
      byName.set(name, { name, raw, origin, shadows })
    }
  }
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}
