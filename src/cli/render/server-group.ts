import type { ErrorJson } from '../../errors.ts'
import { unreachable } from '../../errors.ts'
import type {
  Catalogue,
  Coverage,
  PromptEntry,
  ResourceEntry,
  ServerState,
  ServerStatus,
  TemplateEntry,
  ToolEntry,
} from '../../hub/api.ts'
import { formatMs } from './numbers.ts'

/** One server with its part of the catalogue. */
export interface ServerGroup {
  readonly status: ServerStatus
  readonly coverage: Coverage | undefined
  readonly tools: readonly ToolEntry[]
  readonly prompts: readonly PromptEntry[]
  readonly resources: readonly ResourceEntry[]
  readonly templates: readonly TemplateEntry[]
}

export function groupByServer(statuses: readonly ServerStatus[], catalogue: Catalogue): readonly ServerGroup[] {
  return statuses.map((status) => {
    const isOwn = (entry: { readonly server: string }): boolean => entry.server === status.name
    return {
      status,
      coverage: catalogue.servers.find(isOwn),
      tools: catalogue.tools.filter(isOwn),
      prompts: catalogue.prompts.filter(isOwn),
      resources: catalogue.resources.filter(isOwn),
      templates: catalogue.templates.filter(isOwn),
    }
  })
}

/** Why a server's lists are missing or old; undefined when they are as the server gave them, or nobody wants them. */
export function problemOf(group: ServerGroup): ErrorJson | undefined {
  const { state } = group.status
  if (state.kind === 'disabled') return undefined
  if ('error' in state) return state.error
  return group.coverage === undefined || !('error' in group.coverage) ? undefined : group.coverage.error
}

/** The same, with each tool that is left out. */
export function problemsOf(group: ServerGroup): readonly ErrorJson[] {
  const leftOut = (group.status.leftOut ?? []).map(({ error }) => error)
  const problem = problemOf(group)
  // Where none of its tools is left, that is the reason.
  return leftOut.length > 0 ? leftOut : problem === undefined ? [] : [problem]
}

export function hasAnswered(group: ServerGroup): boolean {
  return group.coverage !== undefined && group.coverage.kind !== 'missing'
}

/** A server's state in a few words. */
export function describeState(state: ServerState): string {
  switch (state.kind) {
    case 'idle':
      return 'not started'
    case 'connecting':
      return 'still connecting'
    case 'ready':
      return `${state.era} ${state.protocolVersion}, connected in ${formatMs(state.connectMs)}`
    case 'disabled':
      return 'disabled'
    case 'untrusted':
      return 'not trusted yet'
    case 'backing_off':
      return 'failed'
    case 'needs_login':
      return 'needs a login'
    case 'failed':
      return 'failed'
    default:
      return unreachable(state)
  }
}
