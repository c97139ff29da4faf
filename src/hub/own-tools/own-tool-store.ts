import type { OwnTool } from '../../config/types.ts'
import { CapstanError, type ErrorJson } from '../../errors.ts'
import { quickHash } from '../../files/quick-hash.ts'
import { version } from '../../version.ts'
import type { JsonObject, LeftOutTool } from '../api.ts'
import type { ListingCache } from '../catalogue/listing-cache.ts'

/** What a tool file says of itself, or why it cannot be used. */
export type OwnToolFacts =
  | {
      readonly kind: 'tool'
      /** As a server would list it. */
      readonly definition: JsonObject
      /** The tools that it may call, as patterns; all where it does not say. */
      readonly allow?: readonly string[]
    }
  | {
      readonly kind: 'broken'
      readonly error: ErrorJson
      /** It did not end in time, which may be the machine's fault. */
      readonly isLate?: true
    }

export function isLate(facts: OwnToolFacts): boolean {
  return facts.kind === 'broken' && facts.isLate === true
}

/** What was read from exactly this file before; undefined when it has not been, or not by this version. */
export function storedFacts(cache: ListingCache, tool: OwnTool, nowMs = Date.now()): OwnToolFacts | undefined {
  const stored = cache.read(storeKey(tool))
  // It is our own writing: the key holds the version.
  const facts = stored?.lists.tools?.[0] as OwnToolFacts | undefined
  const isPast = facts !== undefined && isLate(facts) && nowMs - (stored?.savedAtMs ?? 0) > lateForMs
  return isPast ? undefined : facts
}

/** Long enough that a file which never ends does not cost every command its whole time. */
const lateForMs = 10 * 60_000

/** What a file says depends on its text alone, so it is read once and holds for as long as the text stays the same. */
export function storeFacts(cache: ListingCache, tool: OwnTool, facts: OwnToolFacts): void {
  cache.keep(storeKey(tool), 'tools', [JSON.parse(JSON.stringify(facts)) as JsonObject])
}

function storeKey({ file, code }: OwnTool): string {
  return quickHash(JSON.stringify(['own tool', version, file, code]))
}

/** The tools that are not there, each with the reason: those that wait or cannot be read, and those found broken. */
export function leftOutTools(
  tools: readonly OwnTool[],
  factsOf: (tool: OwnTool) => OwnToolFacts | undefined,
): readonly LeftOutTool[] {
  return tools.flatMap((tool): readonly LeftOutTool[] => {
    const { name, standing } = tool
    if (standing.kind === 'untrusted') {
      return [{ tool: name, reason: standing.change, error: notApproved(tool, standing.change).toJSON() }]
    }
    if (standing.kind === 'invalid') return [{ tool: name, reason: 'broken', error: standing.error.toJSON() }]
    const facts = factsOf(tool)
    return facts?.kind === 'broken' ? [{ tool: name, reason: 'broken', error: facts.error }] : []
  })
}

function notApproved({ name, file }: OwnTool, change: 'new' | 'changed' | 'refused'): CapstanError {
  const what = {
    new: 'has not been approved yet',
    changed: 'has changed since you approved it',
    refused: 'was refused by you',
  }[change]
  return new CapstanError('not_trusted', `The tool my.${name} of the project file ${file} ${what}, so it is not run.`, {
    server: 'my',
    next: change === 'refused' ? `Run: capstan review my.${name}` : 'Run: capstan review',
  })
}
