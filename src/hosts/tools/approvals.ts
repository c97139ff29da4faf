import { isAllowed, toolHints, type Permissions, type ToolEntry } from '../../index.ts'
import { inside, type McpToolRequest } from './opaque.ts'
import type { InvocationView } from './view.ts'

/** How long a yes holds: for this call, for this tool as long as the manager lives, or kept for the project. */
export type ApprovalScope = 'call' | 'session' | 'always-tool' | 'always-server'

export type Approval =
  /** For this call alone when no scope is given. */
  | { readonly kind: 'allow'; readonly scope?: ApprovalScope }
  /** The reason goes to the model. */
  | { readonly kind: 'deny'; readonly reason?: string }

export interface ApprovalQuestion {
  readonly request: McpToolRequest
  /** The call, whole: nothing that will be sent is left out. */
  readonly view: InvocationView
  /** What the tool says about itself, in words. They are the server's, and may be wrong. */
  readonly hints: readonly string[]
  /** It was allowed before, but the tool or its server has changed since. */
  readonly wasAllowed: boolean
  /** The answers that can be kept. */
  readonly scopes: readonly ApprovalScope[]
}

/** Asks a person whether a call may run. The signal ends when the answer is no longer wanted. */
export type Approve = (
  question: ApprovalQuestion,
  options: { readonly signal: AbortSignal },
) => Approval | Promise<Approval>

export type Leave = { readonly kind: 'allowed' } | { readonly kind: 'refused'; readonly reason: string }

/** Decides about calls: by the config, by what was said before, or by asking. */
export interface Approvals {
  readonly decide: (request: McpToolRequest, asking: Asking) => Promise<Leave>
  /** Whether a call of the tool would be asked about. */
  readonly wouldAsk: (request: McpToolRequest) => boolean
}

interface Asking {
  readonly signal: AbortSignal
  /** Somebody said yes to it already. */
  readonly isApproved: boolean
  readonly view: () => InvocationView
  /** Called before a person is asked. */
  readonly onWait: () => void
}

export interface ApprovalsOptions {
  /** Those of the config at hand; none where it is not known what the servers run, so that no yes can be kept for them. */
  readonly permissions: () => Permissions | undefined
  readonly approve: Approve | undefined
  readonly alwaysAllow: readonly string[]
}

export function approvals({ permissions, approve, alwaysAllow }: ApprovalsOptions): Approvals {
  /** What was allowed for the session, by id, as it was then: a tool that has changed since is another one. */
  const session = new Map<string, string>()
  return { decide, wouldAsk: (request) => verdictOf(request).kind === 'ask' }

  async function decide(request: McpToolRequest, { signal, isApproved, view, onWait }: Asking): Promise<Leave> {
    const { tool } = request[inside]
    const verdict = verdictOf(request)
    if (verdict.kind === 'denied') return refused(`The tool ${request.name} is denied by the config.`)
    if (verdict.kind === 'allowed' || isApproved) return { kind: 'allowed' }
    if (approve === undefined) return refused(`The tool ${request.name} needs approval, and nobody can be asked.`)
    onWait()
    const { wasAllowed } = verdict
    const scopes = permissions() === undefined ? shortScopes : allScopes
    const answer = await approve({ request, view: view(), hints: toolHints(tool), wasAllowed, scopes }, { signal })
    if (answer.kind === 'deny') return refused(answer.reason ?? 'The user did not allow this call.')
    await keep(tool, answer.scope ?? 'call')
    return { kind: 'allowed' }
  }

  async function keep(tool: ToolEntry, scope: ApprovalScope): Promise<void> {
    if (scope !== 'call') session.set(tool.id, definitionOf(tool))
    if (scope === 'always-tool' || scope === 'always-server') await permissions()?.grant(tool, scope)
  }

  function verdictOf(request: McpToolRequest): Verdict {
    const { tool } = request[inside]
    const verdict = permissions()?.judge(tool) ?? { kind: 'ask', wasAllowed: false }
    if (verdict.kind !== 'ask') return verdict
    const before = session.get(tool.id)
    if (before === definitionOf(tool) || isAllowed({ allow: alwaysAllow, deny: [] }, tool)) return { kind: 'allowed' }
    return { kind: 'ask', wasAllowed: verdict.wasAllowed || before !== undefined }
  }
}

type Verdict = ReturnType<Permissions['judge']>

const shortScopes: readonly ApprovalScope[] = ['call', 'session']
const allScopes: readonly ApprovalScope[] = [...shortScopes, 'always-tool', 'always-server']

function definitionOf({ description, inputSchema, annotations }: ToolEntry): string {
  return JSON.stringify([description, inputSchema, annotations])
}

function refused(reason: string): Leave {
  return { kind: 'refused', reason }
}
