import { SERVER_INFO_META_KEY, type CallToolResult } from '@modelcontextprotocol/server'
import type { ToolResult } from '../hub/api.ts'

/** A server's result as ours: without its identity and the words of its own protocol round, with our warnings where clients look for extras. */
export function cleanResult(result: ToolResult): CallToolResult {
  const { warnings = [], ...rest } = withoutRound(result)
  const meta = warnings.length === 0 ? {} : { 'capstan/warnings': [...warnings] }
  const content = rest.content.map((block) => (knownContent.has(block.type) ? block : asText(block)))
  const all = { ...rest._meta, ...meta }
  return { ...rest, content, ...(Object.keys(all).length === 0 ? {} : { _meta: all }) }
}

/** Any result, without what a server says of itself and of the round it belongs to. */
export function withoutRound<Result extends object>(result: Result): Result {
  const rest: Result & { _meta?: object; resultType?: unknown } = { ...result }
  const { [SERVER_INFO_META_KEY]: _identity, ...meta } = { ...rest._meta } as Readonly<Record<string, unknown>>
  delete rest.resultType
  delete rest._meta
  return Object.keys(meta).length === 0 ? rest : { ...rest, _meta: meta }
}

const knownContent: ReadonlySet<string> = new Set(['text', 'image', 'audio', 'resource', 'resource_link'])

/** A kind of content that the protocol does not have would have the whole result refused. */
function asText(block: unknown): { type: 'text'; text: string } {
  return { type: 'text', text: JSON.stringify(block) }
}
