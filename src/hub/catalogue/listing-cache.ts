import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { canonicalJson } from '../../config/canonical-json.ts'
import type { ConfiguredServer, Surroundings } from '../../config/types.ts'
import { writeFileAtomic } from '../../files/atomic-write.ts'
import { quickHash } from '../../files/quick-hash.ts'
import type { JsonObject, ListKind } from '../api.ts'

/** What a server offered when it was last asked. */
export interface CachedLists {
  readonly savedAtMs: number
  readonly lists: Readonly<Partial<Record<ListKind, readonly JsonObject[]>>>
}

/** Listings on disk, so that what a server offers can be told without starting it. Losing them costs one question. */
export interface ListingCache {
  readonly read: (key: string) => CachedLists | undefined
  /** Writes in the background; a failure loses nothing but the next quick look. */
  readonly keep: (key: string, kind: ListKind, items: readonly JsonObject[]) => void
  /** Keeps nothing more, and resolves when all that was kept is on disk. */
  readonly close: () => Promise<void>
}

/** A listing that has not changed is written again only when it is older than this, so that its age stays true. */
const rewriteAfterMs = 10 * 60_000

export function listingCache(folder: string, now: () => number): ListingCache {
  const fileOf = (key: string) => join(folder, `${key}.json`)
  const writing = new Map<string, Promise<void>>()
  let isClosed = false
  return {
    read: (key) => readCached(fileOf(key)),
    keep(key, kind, items) {
      // An answer may come while its hub closes, and whoever closed it may be removing the folder.
      if (isClosed) return
      // The lists of one server come together: each write builds on the one before.
      const turn = (writing.get(key) ?? Promise.resolve()).then(() =>
        writeList(fileOf(key), { kind, items, nowMs: now() }),
      )
      writing.set(
        key,
        turn.catch(() => {}),
      )
    },
    async close() {
      isClosed = true
      await Promise.all(writing.values())
    },
  }
}

interface FreshList {
  readonly kind: ListKind
  readonly items: readonly JsonObject[]
  readonly nowMs: number
}

async function writeList(file: string, { kind, items, nowMs }: FreshList): Promise<void> {
  const before = readCached(file)
  const isSame = JSON.stringify(before?.lists[kind]) === JSON.stringify(items)
  if (before !== undefined && isSame && nowMs - before.savedAtMs < rewriteAfterMs) return
  const lists = { ...before?.lists, [kind]: items }
  await writeFileAtomic(file, JSON.stringify({ version, savedAtMs: nowMs, lists }), { mode: 0o600 })
}

const version = 1

function readCached(file: string): CachedLists | undefined {
  try {
    const stored = JSON.parse(readFileSync(file, 'utf8')) as Partial<CachedLists> & { readonly version?: unknown }
    if (stored.version !== version || typeof stored.savedAtMs !== 'number') return undefined
    const lists = Object.entries(stored.lists ?? {}).filter(([, items]) => Array.isArray(items))
    return { savedAtMs: stored.savedAtMs, lists: Object.fromEntries(lists) }
  } catch {
    // Absent or damaged: it is written anew at the next connection.
    return undefined
  }
}

/**
 * What a listing belongs to: the entry as written, where it would run, and the variables it names. Not what it is after `${cmd:…}`,
 * for no command may run just to look something up. Only a hash of it is kept.
 */
export function listingKey(
  { name, entry, origin }: ConfiguredServer,
  { env, workspaceFolder, currentFolder }: Surroundings,
): string {
  const text = canonicalJson(entry)
  const variables = [...text.matchAll(/\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)/g)].map(([, variable = '']) => [
    variable,
    env[variable] ?? '',
  ])
  const folder = origin.layer === 'project' ? workspaceFolder : currentFolder
  return quickHash(JSON.stringify([name, text, origin.file ?? '', folder, env['PATH'] ?? '', variables]))
}
