import type { McpServer } from '@agentclientprotocol/sdk'
import type { RawEntry } from '../../config/types.ts'

export interface EntryRules {
  /** A name that a server may have. */
  readonly nameFor: (name: string) => string
  /** Whether an entry would start Capstan, which holds all of its servers already. */
  readonly isCapstan: (entry: RawEntry) => boolean
}

/** The servers that an editor hands to its agents, as entries of ours. */
export function clientServers(
  servers: readonly McpServer[],
  { nameFor, isCapstan }: EntryRules,
): Readonly<Record<string, RawEntry>> {
  const entries = new Map<string, RawEntry>()
  for (const server of servers) {
    const entry = entryOf(server)
    if (!isCapstan(entry)) entries.set(freeName(nameFor(server.name), entries), entry)
  }
  return Object.fromEntries(entries)
}

function freeName(name: string, taken: ReadonlyMap<string, unknown>): string {
  if (!taken.has(name)) return name
  for (let count = 2; ; count += 1) if (!taken.has(`${name}-${count}`)) return `${name}-${count}`
}

function entryOf(server: McpServer): RawEntry {
  if ('url' in server) return { type: server.type, url: literal(server.url), headers: pairs(server.headers) }
  return { command: literal(server.command), args: server.args.map(literal), env: pairs(server.env) }
}

function pairs(list: readonly { readonly name: string; readonly value: string }[]): RawEntry {
  return Object.fromEntries(list.map(({ name, value }) => [name, literal(value)]))
}

/** An editor's values are final: what looks like a reference in our own files means nothing there. */
function literal(text: string): string {
  return text.split('${').join('$${')
}
