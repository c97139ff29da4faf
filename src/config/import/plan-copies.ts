import { replaceSecrets } from '../../policy/secrets.ts'
import { canonicalJson } from '../canonical-json.ts'
import type { RawEntry } from '../types.ts'
import type { ImportRow } from './table.ts'

/** What becomes of one chosen row in the file it is copied into. */
export type PlannedCopy =
  | { readonly kind: 'copy'; readonly row: ImportRow; readonly name: string }
  /** The file has the same entry already, under this name. */
  | { readonly kind: 'present'; readonly row: ImportRow; readonly name: string }
  /** The file has another entry of that name, which is never overwritten. */
  | { readonly kind: 'taken'; readonly row: ImportRow; readonly name: string }

/** Decides for each row whether it is copied and as what; with `rename` one whose name is taken gets a number. Pure. */
export function planCopies(
  rows: readonly ImportRow[],
  existing: ReadonlyMap<string, RawEntry>,
  { rename }: { readonly rename: boolean },
): readonly PlannedCopy[] {
  const taken = new Set(existing.keys())
  return rows.map((row) => {
    const present = [row.name, ...existing.keys()].find((name) => isSame(existing.get(name), row.entry))
    if (present !== undefined) return { kind: 'present', row, name: present }
    if (taken.has(row.name) && !rename) return { kind: 'taken', row, name: row.name }
    const name = freeName(row.name, taken)
    taken.add(name)
    return { kind: 'copy', row, name }
  })
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name
  for (let number = 2; ; number += 1) if (!taken.has(`${name}-${number}`)) return `${name}-${number}`
}

/** The same entry, also where an earlier import has moved its secrets into variables. */
function isSame(existing: RawEntry | undefined, entry: RawEntry): boolean {
  if (existing === undefined) return false
  const parts = canonicalJson(replaceSecrets(entry, () => secretMark)).split(secretMark)
  const pattern = parts
    .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`))
    .join(String.raw`\$\{\w+\}`)
  return (
    canonicalJson(existing) === canonicalJson(entry) || new RegExp(`^${pattern}$`, 's').test(canonicalJson(existing))
  )
}

// Stands for a secret in the comparison; a private-use character that survives JSON as it is.
const secretMark = '\uE000'
