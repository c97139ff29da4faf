import { isAllowed, isDenied } from './decide.ts'

/** A permission that was given: for one tool as it was then, or for all tools of a server. */
export interface Grant {
  readonly server: string
  /** What the server was: its command or address. */
  readonly identity: string
  /** Absent: all tools of the server. */
  readonly tool?: string
  /** What the tool was: a hash of its description and schema. */
  readonly schemaHash?: string
}

export interface CallQuestion {
  readonly tool: { readonly server: string; readonly tool: string }
  readonly identity: string
  readonly schemaHash: string
  /** The tool says so itself. */
  readonly isReadOnly: boolean
  readonly rules: {
    readonly alwaysAllow: readonly string[]
    readonly deny: readonly string[]
    readonly trustHints: boolean
  }
  readonly grants: readonly Grant[]
  /** Of `--allow`: these and no others. */
  readonly only?: readonly string[]
}

/** Whether a call that a model chose may run. `wasAllowed` says that the tool or its server has changed since it was. */
export type Verdict =
  | { readonly kind: 'allowed' }
  | { readonly kind: 'denied' }
  | { readonly kind: 'ask'; readonly wasAllowed: boolean }

/** Deny beats allow; a list of `--allow` beats what is allowed otherwise; hints count only where the person said so. */
export function judgeCall(question: CallQuestion): Verdict {
  const { tool, rules, grants, only } = question
  if (isDenied(rules.deny, tool)) return { kind: 'denied' }
  if (only !== undefined) return isAllowed({ allow: only, deny: [] }, tool) ? { kind: 'allowed' } : { kind: 'denied' }
  const isHarmless = rules.trustHints && question.isReadOnly
  if (isHarmless || isAllowed({ allow: rules.alwaysAllow, deny: [] }, tool)) return { kind: 'allowed' }
  const own = grants.filter((grant) => grant.server === tool.server)
  if (own.some((grant) => holds(grant, question))) return { kind: 'allowed' }
  return { kind: 'ask', wasAllowed: own.some((grant) => grant.tool === undefined || grant.tool === tool.tool) }
}

function holds(grant: Grant, { tool, identity, schemaHash }: CallQuestion): boolean {
  if (grant.identity !== identity) return false
  return grant.tool === undefined || (grant.tool === tool.tool && grant.schemaHash === schemaHash)
}
