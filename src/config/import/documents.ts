import type { ClientId } from './clients.ts'
import { strings } from './json.ts'
import { isObject, type JsonObject, type JsonValue } from '../../json.ts'

/** A server as its client's file has it, before its fields are translated. */
export interface ListedServer {
  readonly name: string
  readonly raw: JsonValue
  /** The folder for which the client starts it, where it is not for all. */
  readonly project?: string
}

export interface Listing {
  readonly servers: readonly ListedServer[]
  /** What is wrong with the document as a whole. */
  readonly problem?: string
}

/** The servers in a client's parsed file, wherever that client keeps them. Pure. */
export function listServers(client: ClientId, document: JsonValue): Listing {
  if (!isObject(document)) return { servers: [], problem: 'holds no object at its top' }
  const listing = serversAt(document, serversPath(client, document))
  if (client === 'claude-code') return withLocal(listing, document)
  return client === 'gemini' ? switchedOff(listing, document) : listing
}

/** The names that lead to the object in which a client keeps the servers that are for all folders. */
export function serversPath(client: ClientId, document: JsonObject): readonly [string, ...string[]] {
  switch (client) {
    case 'vscode':
      return ['servers']
    case 'codex':
      return ['mcp_servers']
    case 'zed':
      return ['context_servers']
    case 'opencode':
      return isSecondOpencode(document) ? ['mcp', 'servers'] : ['mcp']
    case 'claude-code':
    case 'claude-desktop':
    case 'cursor':
    case 'cline':
    case 'gemini':
    case 'windsurf':
    case 'pi':
      return ['mcpServers']
    default:
      return client satisfies never
  }
}

function serversAt(document: JsonObject, [key, ...deeper]: readonly [string, ...string[]]): Listing {
  const servers = document[key]
  if (servers === undefined || servers === null) return { servers: [] }
  if (!isObject(servers)) return { servers: [], problem: `has a "${key}" that is no object` }
  const [next, ...rest] = deeper
  if (next !== undefined) return serversAt(servers, [next, ...rest])
  return { servers: Object.entries(servers).map(([name, raw]) => ({ name, raw })) }
}

/** Servers of scope `user` stand at the top, those of scope `local` below the folder they are for. */
function withLocal(own: Listing, document: JsonObject): Listing {
  const projects = isObject(document['projects']) ? Object.entries(document['projects']) : []
  const local = projects.flatMap(([project, settings]) =>
    isObject(settings)
      ? serversAt(settings, ['mcpServers']).servers.map(({ name, raw }) => ({ name, raw, project }))
      : [],
  )
  return { ...own, servers: [...own.servers, ...local] }
}

/** Version 2 moved the servers from `mcp` to `mcp.servers`; what has a command or an address itself is a server. */
function isSecondOpencode({ mcp }: JsonObject): boolean {
  const inner = isObject(mcp) ? mcp['servers'] : undefined
  return isObject(inner) && !('command' in inner || 'url' in inner || 'type' in inner)
}

/** `mcp.allowed` and `mcp.excluded` switch servers off by name, besides the servers' own entries. */
function switchedOff(listing: Listing, document: JsonObject): Listing {
  const rules = isObject(document['mcp']) ? document['mcp'] : {}
  const allowed = rules['allowed'] === undefined ? undefined : strings(rules['allowed'])
  const isOff = (name: string): boolean =>
    strings(rules['excluded']).includes(name) || allowed?.includes(name) === false
  return {
    ...listing,
    servers: listing.servers.map(({ name, raw }) => ({
      name,
      raw: isObject(raw) && isOff(name) ? { ...raw, disabled: true } : raw,
    })),
  }
}
