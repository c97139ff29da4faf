import { mkdir, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { writeFileAtomic } from '../../files/atomic-write.ts'
import { canonicalJson } from '../canonical-json.ts'
import { editServerFile } from '../edit.ts'
import { copyServers, type CopyReport } from '../import/copy-servers.ts'
import type { NamedEntry } from '../import/move-secrets.ts'
import { readExact } from './client-text.ts'
import { withConnections, type Before, type Connection, type MovedServer } from './connections.ts'
import type { ConnectPlan } from './plan-connect.ts'
import { asWriteFailure, changedMeanwhile, hashOf, writeUnlessProtected } from './write-client-file.ts'

export interface ConnectOptions {
  readonly stateFolder: string
  /** The `mcp.json` file that servers are moved to. */
  readonly serversFile: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly now: Date
  readonly signal: AbortSignal
}

export type Connected =
  | { readonly kind: 'written'; readonly connection: Connection }
  /** The file has been like that before. */
  | { readonly kind: 'unchanged' }

/**
 * Does what was shown, and nothing else: the file is read and planned again, and where that leads to other changes, nothing is
 * done. It is written whole or not at all, after its backup and after the note of how to undo it.
 */
export async function connectFile(
  shown: ConnectPlan,
  planAgain: (text: string | undefined) => Promise<ConnectPlan>,
  options: ConnectOptions,
): Promise<Connected> {
  return await withConnections(
    options.stateFolder,
    async ({ connections, save }) => {
      const plan = await planAgain(await readExact(shown.path))
      if (meaningOf(plan) !== meaningOf(shown)) throw changedMeanwhile(shown.path)
      const isMine = ({ client, path }: Connection): boolean => client === plan.client && path === plan.path
      const previous = connections.find(isMine)
      const neighbour = connections.find((other) => other.path === plan.path && other.after === hashOf(plan.text ?? ''))
      if (plan.after === plan.text && (neighbour === undefined || previous !== undefined)) return { kind: 'unchanged' }
      const connection = await prepare(plan, previous ?? neighbour, options)
      try {
        await save([...connections.filter((other) => !isMine(other)), connection])
        await perform(plan, options)
      } catch (error) {
        await save(connections)
        await forgetBackup(connection, connections)
        throw asWriteFailure(error, plan.path)
      }
      return { kind: 'written', connection }
    },
    options.signal,
  )
}

/** What a person agreed to: the changes, not the rest of a file that its client may have written meanwhile. */
function meaningOf({ entry, replaced, moves }: ConnectPlan): string {
  const moving = moves.map(({ from, copy }) => [from, copy.name, copy.kind])
  return canonicalJson([entry ?? null, replaced, moving])
}

async function prepare(
  plan: ConnectPlan,
  previous: Connection | undefined,
  options: ConnectOptions,
): Promise<Connection> {
  const before = await beforeOf(plan, previous, options)
  return {
    client: plan.client,
    form: plan.form,
    path: plan.path,
    at: options.now.toISOString(),
    before,
    after: hashOf(plan.after),
    madeFolders: previous?.madeFolders ?? (await missingFolders(dirname(plan.path))),
    ...(plan.entry === undefined ? entryOf(previous) : { entry: plan.entry }),
    // What stood there before the first time counts: the second time it is our own.
    replaced: previous?.replaced ?? plan.replaced,
    moved: [...(previous?.moved ?? []), ...movedBy(plan, options.serversFile)],
  }
}

function entryOf(previous: Connection | undefined): Pick<Connection, 'entry'> {
  return previous?.entry === undefined ? {} : { entry: previous.entry }
}

async function beforeOf(
  plan: ConnectPlan,
  previous: Connection | undefined,
  { stateFolder, now }: ConnectOptions,
): Promise<Before> {
  const { text } = plan
  const hash = hashOf(text ?? '')
  if (previous !== undefined && previous.after === hash) return previous.before
  const isAsBefore = previous?.before.kind === 'text' && previous.before.hash === hash
  if (previous !== undefined && text !== undefined && !isAsBefore) return { kind: 'unknown' }
  if (text === undefined) return { kind: 'absent' }
  const time = now.toISOString().replaceAll(/[:.]/g, '-')
  const backup = join(stateFolder, 'backups', `${plan.client}-${time}-${hash.slice(0, 8)}-${basename(plan.path)}`)
  await writeFileAtomic(backup, text, { mode: 0o600 })
  return { kind: 'text', hash, backup }
}

async function missingFolders(folder: string): Promise<readonly string[]> {
  const isThere = await stat(folder).then(
    () => true,
    () => false,
  )
  return isThere || dirname(folder) === folder ? [] : [...(await missingFolders(dirname(folder))), folder]
}

function movedBy({ moves }: ConnectPlan, file: string): readonly MovedServer[] {
  return moves.flatMap(({ from, copy }) =>
    from.map(({ name, raw }) => ({
      name,
      raw,
      to: { file, name: copy.name },
      ...(copy.kind === 'copy' ? { written: copy.row.entry } : {}),
    })),
  )
}

async function perform(plan: ConnectPlan, options: ConnectOptions): Promise<void> {
  const { serversFile, env, signal } = options
  const rows = plan.moves.map(({ copy }) => copy.row)
  const report: CopyReport | undefined =
    rows.length === 0 ? undefined : await copyServers(rows, { file: serversFile, rename: true, env, signal })
  try {
    signal.throwIfAborted()
    // Other programs look into this folder; only files that may hold tokens are closed to others.
    if (plan.form === 'skill') await mkdir(dirname(plan.path), { recursive: true })
    await writeUnlessProtected(plan.path, plan.after, plan.form === 'skill' ? 0o644 : 0o600)
  } catch (error) {
    await takeBack(report?.written ?? [], serversFile)
    throw error
  }
}

async function takeBack(written: readonly NamedEntry[], file: string): Promise<void> {
  if (written.length === 0) return
  await editServerFile(
    file,
    written.map(({ name }) => ({ kind: 'remove', name })),
  )
}

async function forgetBackup({ before }: Connection, kept: readonly Connection[]): Promise<void> {
  if (before.kind !== 'text') return
  const isNeeded = kept.some((other) => other.before.kind === 'text' && other.before.backup === before.backup)
  if (!isNeeded) await rm(before.backup, { force: true })
}
