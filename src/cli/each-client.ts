import { clients, type ClientId } from '../config/import/clients.ts'
import { CapstanError } from '../errors.ts'
import type { CommandContext } from './command.ts'
import { exitCodeOf, exitCodes } from './exit-codes.ts'

/** What came of one file of a client. */
export interface ClientOutcome {
  readonly json: object
}

/** Works on one client after the other. Where several were named, one that fails does not keep the others from their turn. */
export async function eachClient(
  { io, flags, signal }: CommandContext,
  named: readonly ClientId[],
  work: (client: ClientId) => Promise<readonly ClientOutcome[]>,
): Promise<number> {
  const results: object[] = []
  const failures: CapstanError[] = []
  for (const client of named) {
    try {
      results.push(...(await work(client)).map(({ json }) => json))
    } catch (error) {
      if (!(error instanceof CapstanError) || named.length === 1 || signal.aborted) throw error
      failures.push(error)
      results.push({ client, error: error.toJSON() })
      if (!flags.json)
        io.err(`${clients[client].title}: ${error.message}${error.next === undefined ? '' : `\n  → ${error.next}`}\n`)
    }
  }
  if (flags.json) await io.out(`${JSON.stringify(results)}\n`)
  const [first] = failures
  return first === undefined ? exitCodes.ok : exitCodeOf(first.code)
}
