import { editServerFile, readServerFile } from '../edit.ts'
import type { NamedEntry } from './move-secrets.ts'
import { planCopies, type PlannedCopy } from './plan-copies.ts'
import { moveSecretsInto } from './secrets-file.ts'
import type { ImportRow } from './table.ts'

export interface CopyOptions {
  /** The `mcp.json` file to copy into. */
  readonly file: string
  /** Copy a server whose name is taken under another name, instead of leaving it out. */
  readonly rename: boolean
  /** Where literal secrets are moved; they stay in the entries when absent. */
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

/** Copies servers into a file of ours. Nothing that is there is overwritten, and nothing is started. */
export async function copyServers(rows: readonly ImportRow[], options: CopyOptions): Promise<CopyReport> {
  const plan = planCopies(rows, await readServerFile(options.file), options)
  const servers = plan.filter(({ kind }) => kind === 'copy').map(({ name, row }) => ({ name, entry: row.entry }))
  if (servers.length === 0) return { plan, written: [], variables: [], left: [] }
  options.signal.throwIfAborted()
  // The secrets first: an entry must never name a variable that was lost on the way.
  const { secretsFile } = options
  const moved =
    secretsFile === undefined
      ? { servers, variables: new Map<string, string>(), left: [] }
      : await moveSecretsInto(secretsFile, servers, options.env)
  await editServerFile(
    options.file,
    moved.servers.map(({ name, entry }) => ({ kind: 'put', name, entry })),
    options,
  )
  return { plan, written: moved.servers, variables: [...moved.variables.keys()], left: moved.left }
}
