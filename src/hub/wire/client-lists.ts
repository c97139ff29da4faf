import { CapstanError } from '../../errors.ts'
import type { JsonObject, ListKind } from '../api.ts'
import { protocolCode } from './request-failure.ts'
import { isObject } from '../../json.ts'

/** How each list is asked for, and what a server that has it says it can do. */
export const lists = {
  tools: { method: 'tools/list', field: 'tools', capability: 'tools' },
  prompts: { method: 'prompts/list', field: 'prompts', capability: 'prompts' },
  resources: { method: 'resources/list', field: 'resources', capability: 'resources' },
  templates: { method: 'resources/templates/list', field: 'resourceTemplates', capability: 'resources' },
} as const satisfies Record<ListKind, { method: string; field: string; capability: string }>

type AskForPage = (cursor?: string) => Promise<JsonObject>

const maxPages = 1000

export async function listAllPages(page: AskForPage, field: string): Promise<readonly JsonObject[]> {
  let items: readonly JsonObject[] = []
  const seen = new Set<string>()
  let cursor: string | undefined
  do {
    const result = await pageOrNothing(page, cursor)
    const found = result[field]
    if (Array.isArray(found)) items = items.concat(found.filter(isObject))
    cursor = typeof result['nextCursor'] === 'string' ? result['nextCursor'] : undefined
    // A server that hands out the same cursor again would keep us for ever.
    if (cursor !== undefined && seen.has(cursor)) break
    if (cursor !== undefined) seen.add(cursor)
  } while (cursor !== undefined && seen.size < maxPages)
  return items
}

async function pageOrNothing(page: AskForPage, cursor: string | undefined): Promise<JsonObject> {
  try {
    return await page(cursor)
  } catch (error) {
    // Servers declare "resources" and do not know templates: that is an empty list, not a failure.
    if (error instanceof CapstanError && protocolCode(error.cause) === methodNotFound) return {}
    throw error
  }
}

const methodNotFound = -32601
