import type { Catalogue, Coverage } from '../hub/api.ts'
import { firstSentence } from '../hub/catalogue/first-sentence.ts'
import type { Mode } from './caller.ts'

export interface Introduction {
  readonly catalogue: Catalogue
  readonly mode: Exclude<Mode, 'auto'>
  /** What a server says it is for, where that is known. */
  readonly describe: (server: string) => string | undefined
}

/** What a client is told at the start: what stands behind us, how it is used, and which servers wait for a person. */
export function instructionsFor({ catalogue, mode, describe }: Introduction): string {
  const names = catalogue.servers.flatMap((coverage) => {
    if (waitsFor(coverage) !== undefined) return []
    const about = firstSentence(describe(coverage.server), 60).replace(/\.$/, '')
    return [about === '' ? coverage.server : `${coverage.server} (${about})`]
  })
  const waiting = catalogue.servers.flatMap((coverage) => {
    const reason = waitsFor(coverage)
    return reason === undefined ? [] : [`${coverage.server} (${reason})`]
  })
  return [
    `Tools, prompts and resources of these MCP servers: ${cut(names)}.`,
    howTo[mode],
    ...(waiting.length === 0 ? [] : [`Not usable until a person acts: ${cut(waiting)}.`]),
  ].join(' ')
}

const howTo = {
  all: 'Names begin with the name of their server.',
  meta: 'Find a tool with search_tools, then run it with call_tool.',
  code: 'Find tools with search_tools, then call them from code with exec.',
} as const

/** What a person has to do first; undefined where nobody is waited for. */
function waitsFor(coverage: Coverage): string | undefined {
  if (!('error' in coverage)) return undefined
  const { code, next, message } = coverage.error
  return code === 'login_needed' || code === 'not_trusted' ? (next ?? message) : undefined
}

/** Many servers must not fill the context by their names alone. */
function cut(names: readonly string[]): string {
  const most = 40
  if (names.length === 0) return 'none yet'
  return names.length <= most ? names.join(', ') : `${names.slice(0, most).join(', ')} and ${names.length - most} more`
}
