import { revealedText } from '../policy/plain-text.ts'
import { describeChange } from './describe-change.ts'
import { decidedEntry, readTrust, recordDecisions, trustFile, type Decision, type TrustDecision } from './trust.ts'
import type { Config } from './types.ts'

/** A server of a project's file that a person has not decided on yet. */
export interface TrustRequest extends Omit<TrustDecision, 'decision'> {
  /** What a person has to know before they decide: every field of a new server, the difference of a changed one. */
  readonly lines: readonly string[]
}

/** The project's servers that wait for a person's word. Those that were refused are for `capstan review` alone. */
export async function trustRequests({ servers, surroundings }: Config): Promise<readonly TrustRequest[]> {
  const waiting = servers.filter(({ standing }) => standing.kind === 'untrusted' && standing.change !== 'refused')
  if (waiting.length === 0) return []
  const store = await readTrust(trustFile(surroundings.env))
  return waiting.flatMap(({ name, entry, origin: { file } }) => {
    if (file === undefined) return []
    const before = decidedEntry(store, file, name)
    const fields = describeChange(before ?? {}, entry)
    const lines = before === undefined ? fields.map((line) => line.replace(': added ', ': ')) : fields
    return [{ projectFile: file, name, entry, lines: lines.map(revealedText) }]
  })
}

/** Keeps what the person with this environment decided. It holds for every hub that is opened from now on. */
export async function decideTrust(
  requests: readonly TrustRequest[],
  decision: Decision,
  env: Config['surroundings']['env'] = process.env,
): Promise<void> {
  const decisions = requests.map(({ projectFile, name, entry }) => ({ projectFile, name, entry, decision }))
  await recordDecisions(trustFile(env), decisions)
}
