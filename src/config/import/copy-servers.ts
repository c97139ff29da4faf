import { findSecrets } from '../../policy/secrets.ts'
import { canonicalJson } from '../canonical-json.ts'
import { editServerFile, readServerFile, type ServerEdit } from '../edit.ts'
import type { RawEntry } from '../types.ts'
import type { NamedEntry } from './move-secrets.ts'
import { planCopies, type PlannedCopy } from './plan-copies.ts'
import { moveSecretsInto } from './secrets-file.ts'
import type { ImportRow } from './table.ts'

export interface CopyOptions {
  /** The `mcp.json` file to copy into. */
  readonly file: string
  /** Copy a server whose name is taken under another name, instead of leaving it out. */
  readonly rename: boolean
  /** Where literal secrets are moved, also those of servers that are there already; they stay in the entries when absent. */
  readonly secretsFile?: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
  /** Permissions of a file that is new; for its owner only when absent. */
  readonly mode?: number
}

export interface CopyReport {
  readonly plan: readonly PlannedCopy[]
  /** What was written, as it was written. */
  readonly written: readonly NamedEntry[]
  /** The variables that now hold secrets. */
  readonly variables: readonly string[]
  /** Secrets that could not be moved. */
  readonly left: readonly { readonly server: string; readonly label: string }[]
}

/** Copies servers into a file of ours. Nothing that is there is overwritten but its secrets, and nothing is started. */
export async function copyServers(rows: readonly ImportRow[], options: CopyOptions): Promise<CopyReport> {
  const { secretsFile } = options
  const existing = await readServerFile(options.file)
  const plan = planCopies(rows, existing, options)
  const servers = plan.flatMap((item) => toWrite(item, secretsFile === undefined ? undefined : existing))
  if (servers.length === 0) return { plan, written: [], variables: [], left: [] }
  options.signal.throwIfAborted()
  // The secrets first: an entry must never name a variable that was lost on the way.
  const moved =
    secretsFile === undefined
      ? { servers, variables: new Map<string, string>(), left: [] }
      : await moveSecretsInto(secretsFile, servers, options.env)
  const edits = moved.servers.flatMap((server) => editsFor(server, existing.get(server.name)))
  await editServerFile(options.file, edits, options)
  return { plan, written: moved.servers, variables: [...moved.variables.keys()], left: moved.left }
}

/** What is new; and where secrets are moved, what an earlier import has left in plain text. */
function toWrite(
  { kind, name, row }: PlannedCopy,
  existing: ReadonlyMap<string, RawEntry> | undefined,
): readonly NamedEntry[] {
  if (kind === 'copy') return [{ name, entry: row.entry }]
  const entry = kind === 'present' ? existing?.get(name) : undefined
  return entry === undefined || findSecrets(entry).length === 0 ? [] : [{ name, entry }]
}

/** Of an entry that is there only the fields that differ are written: what a person noted beside the others stays. */
function editsFor({ name, entry }: NamedEntry, before: RawEntry | undefined): readonly ServerEdit[] {
  if (before === undefined) return [{ kind: 'put', name, entry }]
  return Object.entries(entry)
    .filter(([field, value]) => canonicalJson(value) !== canonicalJson(before[field]))
    .map(([field, value]) => ({ kind: 'set', name, field, value }))
}
