import { unreachable } from '../../errors.ts'
import type { ClientId } from '../import/clients.ts'
import { clientHeader, clientVariable } from '../self.ts'
import type { JsonObject } from '../../json.ts'

/** How a client reaches Capstan: a program it starts, or an address where one runs. */
export type Gateway =
  | {
      readonly kind: 'program'
      readonly command: string
      readonly args: readonly string[]
      readonly env: Readonly<Record<string, string>>
    }
  | { readonly kind: 'address'; readonly url: string; readonly headers: Readonly<Record<string, string>> }

/** The entry in the client's own words, marked so that every Capstan knows it for one; undefined where the client takes no address. Pure. */
export function gatewayEntry(client: ClientId, gateway: Gateway): JsonObject | undefined {
  switch (gateway.kind) {
    case 'program':
      return programEntry(client, { ...gateway, env: { ...gateway.env, [clientVariable]: client } })
    case 'address':
      return addressEntry(client, gateway.url, { ...gateway.headers, [clientHeader]: client })
    default:
      return unreachable(gateway)
  }
}

function programEntry(client: ClientId, { command, args, env }: Extract<Gateway, { kind: 'program' }>): JsonObject {
  switch (client) {
    case 'claude-code':
    case 'vscode':
      return { type: 'stdio', command, args, env }
    case 'opencode':
      return { type: 'local', command: [command, ...args], environment: env }
    case 'zed':
      // Newer versions can do without `source`; older ones cannot.
      return { source: 'custom', command, args, env }
    case 'claude-desktop':
    case 'cursor':
    case 'cline':
    case 'windsurf':
    case 'codex':
    case 'gemini':
    case 'pi':
      return { command, args, env }
    default:
      return client satisfies never
  }
}

function addressEntry(
  client: ClientId,
  url: string,
  headers: Readonly<Record<string, string>>,
): JsonObject | undefined {
  switch (client) {
    case 'claude-code':
    case 'vscode':
      return { type: 'http', url, headers }
    case 'cline':
      return { type: 'streamableHttp', url, headers }
    case 'windsurf':
      return { serverUrl: url, headers }
    case 'codex':
      return { url, http_headers: headers }
    case 'gemini':
      return { httpUrl: url, headers }
    case 'opencode':
      return { type: 'remote', url, headers }
    case 'cursor':
    case 'zed':
    case 'pi':
      return { url, headers }
    case 'claude-desktop':
      return undefined // Its file holds programs only; addresses are added in its own window.
    default:
      return client satisfies never
  }
}

export const gatewayModes = ['auto', 'all', 'meta', 'code'] as const
export type GatewayMode = (typeof gatewayModes)[number]

/** Clients that look for tools themselves get every tool; for the others Capstan decides by their number. */
export function modeFor(client: ClientId): GatewayMode {
  return searchesTools.has(client) ? 'all' : 'auto'
}

const searchesTools: ReadonlySet<ClientId> = new Set(['claude-code', 'codex', 'pi'])
