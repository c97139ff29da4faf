import { basename, dirname } from 'node:path'
import { ownServer, ownToolEntry } from '../config/own-tools.ts'
import { decidedEntry, readTrust, recordDecisions, trustFile, type TrustStore } from '../config/trust.ts'
import type { ConfiguredServer, OwnTool } from '../config/types.ts'
import type { CommandContext } from './command.ts'
import { askForTrust, type PendingServer } from './trust-question.ts'

/** Project servers that a person has not decided on yet. One that was refused is asked about only by `review`. */
export function isWaiting({ standing }: ConfiguredServer): boolean {
  if (standing.kind === 'own') return standing.tools.some(isWaitingTool)
  return standing.kind === 'untrusted' && standing.change !== 'refused'
}

function isWaitingTool({ standing }: OwnTool): boolean {
  return standing.kind === 'untrusted' && standing.change !== 'refused'
}

/** Asks about project servers that wait for a person's word, and keeps the answers. */
export async function askAndRecord(
  { io, signal }: Pick<CommandContext, 'io' | 'signal'>,
  waiting: readonly ConfiguredServer[],
): Promise<void> {
  const file = trustFile(io.env)
  const store = await readTrust(file)
  const pending = waiting.flatMap(({ name, entry, origin, standing }): readonly PendingServer[] => {
    if (standing.kind === 'own') return standing.tools.filter(isWaitingTool).map((tool) => pendingTool(store, tool))
    if (origin.file === undefined) return []
    const before = decidedEntry(store, origin.file, name)
    return [{ projectFile: origin.file, name, entry, ...(before === undefined ? {} : { before }) }]
  })
  await recordDecisions(file, await askForTrust(io, pending, { signal }))
}

/** A tool of the project's as it is asked about: its code, and the code that was decided on before. */
export function pendingTool(store: TrustStore, tool: OwnTool): PendingServer {
  const [projectFile, name] = [dirname(tool.file), basename(tool.file)]
  const isChanged = tool.standing.kind === 'untrusted' && tool.standing.change === 'changed'
  const before = isChanged ? decidedEntry(store, projectFile, name) : undefined
  return {
    projectFile,
    name,
    tool: `${ownServer}.${tool.name}`,
    entry: ownToolEntry(tool),
    ...(before === undefined ? {} : { before }),
  }
}
