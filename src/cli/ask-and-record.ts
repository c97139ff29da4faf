import { decidedEntry, readTrust, recordDecisions, trustFile } from '../config/trust.ts'
import type { ConfiguredServer } from '../config/types.ts'
import type { CommandContext } from './command.ts'
import { askForTrust } from './trust-question.ts'

/** Project servers that a person has not decided on yet. One that was refused is asked about only by `review`. */
export function isWaiting({ standing }: ConfiguredServer): boolean {
  return standing.kind === 'untrusted' && standing.change !== 'refused'
}

/** Asks about project servers that wait for a person's word, and keeps the answers. */
export async function askAndRecord(
  { io, signal }: Pick<CommandContext, 'io' | 'signal'>,
  waiting: readonly ConfiguredServer[],
): Promise<void> {
  const file = trustFile(io.env)
  const store = await readTrust(file)
  const pending = waiting.flatMap(({ name, entry, origin }) => {
    if (origin.file === undefined) return []
    const before = decidedEntry(store, origin.file, name)
    return [{ projectFile: origin.file, name, entry, ...(before === undefined ? {} : { before }) }]
  })
  await recordDecisions(file, await askForTrust(io, pending, { signal }))
}
