import { isAllowed, isDenied } from './decide.ts'

/** What one set of rules says about who comes through a shared door: a flag's, a profile's or a key's. */
export interface AccessRules {
  /** Only these servers; all when absent. */
  readonly servers?: readonly string[]
  /** Only these tools, by name or glob; all when absent. */
  readonly tools?: readonly string[]
  /** Never these. */
  readonly deny?: readonly string[]
  /** These only after somebody has said yes. */
  readonly ask?: readonly string[]
}

export type Access = 'allowed' | 'ask' | 'denied'

/** Whether a tool may run under all of these rules: each can only take away what the others leave. */
export function judgeAccess(
  rules: readonly AccessRules[],
  tool: { readonly server: string; readonly tool: string },
): Access {
  const isOpen = rules.every(({ servers, tools, deny = [] }) => {
    const isOffered = servers === undefined || servers.includes(tool.server)
    return isOffered && (tools === undefined || isAllowed({ allow: tools, deny: [] }, tool)) && !isDenied(deny, tool)
  })
  if (!isOpen) return 'denied'
  return rules.some(({ ask = [] }) => isDenied(ask, tool)) ? 'ask' : 'allowed'
}

/** Whether anything of a server may be seen under all of these rules. */
export function mayUseServer(rules: readonly AccessRules[], server: string): boolean {
  return rules.every(({ servers }) => servers === undefined || servers.includes(server))
}

/** Whether some rule names the server itself, so that one that is left out by default is wanted. */
export function namesServer(rules: readonly AccessRules[], server: string): boolean {
  return rules.some(({ servers = [] }) => servers.includes(server))
}
