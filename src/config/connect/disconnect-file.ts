import { rm, rmdir } from 'node:fs/promises'
import { hasCode } from '../../files/atomic-write.ts'
import { canonicalJson } from '../canonical-json.ts'
import { editServerFile } from '../edit.ts'
import { asWriteFailure, changedMeanwhile, writeUnlessProtected } from './write-client-file.ts'
import { withConnections, type Connection } from './connections.ts'
import { planDisconnect, type DisconnectPlan, type DisconnectView } from './plan-disconnect.ts'

export interface DisconnectOptions extends Omit<DisconnectView, 'connections'> {
  readonly stateFolder: string
  readonly signal: AbortSignal
}

/**
 * Takes back what was shown, and nothing else. The client's file comes first, so that a crash leaves a server in two places
 * rather than in none; the note of the connection goes last, so that it can be done again.
 */
export async function disconnectFile(shown: DisconnectPlan, options: DisconnectOptions): Promise<void> {
  await withConnections(
    options.stateFolder,
    async ({ connections, save }) => {
      const plan = await planDisconnect(shown.connection, { ...options, connections })
      if (meaningOf(plan) !== meaningOf(shown)) throw changedMeanwhile(shown.connection.path)
      options.signal.throwIfAborted()
      try {
        await putBack(plan)
      } catch (error) {
        throw asWriteFailure(error, plan.connection.path)
      }
      for (const [file, servers] of Map.groupBy(plan.leaving, ({ to }) => to.file)) {
        await editServerFile(
          file,
          [...new Set(servers.map(({ to }) => to.name))].map((name) => ({ kind: 'remove', name })),
        )
      }
      await save(connections.filter((other) => !isSame(other, plan.connection)))
      // What was edited since cannot be told from the backup, so a person may want to look into it.
      if (plan.how === 'exact') await forgetBackup(plan.connection)
    },
    options.signal,
  )
}

function isSame(one: Connection, other: Connection): boolean {
  return one.client === other.client && one.path === other.path
}

function meaningOf({ how, removed, restored, notRestored, leaving, after }: DisconnectPlan): string {
  const names = leaving.map(({ to }) => to.name)
  return canonicalJson([how, removed ?? null, restored, notRestored, names, after === undefined])
}

async function putBack({ connection, text, after }: DisconnectPlan): Promise<void> {
  if (after === text) return
  if (after !== undefined) return await writeUnlessProtected(connection.path, after, 0o600)
  await rm(connection.path)
  for (const folder of connection.madeFolders.toReversed()) await removeIfEmpty(folder)
}

async function removeIfEmpty(folder: string): Promise<void> {
  try {
    await rmdir(folder)
  } catch (error) {
    if (!hasCode(error, 'ENOTEMPTY', 'EEXIST', 'ENOENT')) throw error
  }
}

async function forgetBackup({ before }: Connection): Promise<void> {
  if (before.kind === 'text') await rm(before.backup, { force: true })
}
