import type { ErrorJson } from '../../src/errors.ts'
import type {
  Catalogue,
  CatalogueOptions,
  Hub,
  ListKind,
  LogLine,
  PromptEntry,
  ServerState,
  ServerStatus,
  ToolEntry,
} from '../../src/hub/api.ts'

export interface HubLiterals {
  readonly statuses: readonly ServerStatus[]
  readonly catalogue?: Partial<Catalogue>
  readonly logs?: readonly LogLine[]
}

/** A hub that answers with the given values, and remembers what it was asked for. Nothing can be called through it. */
export function literalHub({
  statuses,
  catalogue = {},
  logs = [],
}: HubLiterals): Hub & { readonly asked: CatalogueOptions[] } {
  const asked: CatalogueOptions[] = []
  const refuse = async (): Promise<never> => {
    throw new Error('a literal hub only lists')
  }
  return {
    asked,
    servers: async () => statuses,
    catalogue: async (options = {}) => {
      asked.push(options)
      return restrict({ ...emptyCatalogue, servers: statuses.map(coverageOf), ...catalogue }, options)
    },
    logs: async () => logs,
    call: refuse,
    prompt: refuse,
    complete: refuse,
    read: refuse,
    subscribe: refuse,
    unsubscribe: refuse,
    search: refuse,
    exec: refuse,
    control: refuse,
    on: () => ({ [Symbol.dispose]: () => undefined }),
    [Symbol.asyncDispose]: async () => undefined,
  }
}

const emptyCatalogue: Catalogue = { tools: [], prompts: [], resources: [], templates: [], servers: [] }

function restrict(catalogue: Catalogue, { servers, kinds }: CatalogueOptions): Catalogue {
  const isWanted = (entry: { readonly server: string }): boolean =>
    servers === undefined || servers.includes(entry.server)
  const isListed = (kind: ListKind): boolean => kinds === undefined || kinds.includes(kind)
  return {
    tools: isListed('tools') ? catalogue.tools.filter(isWanted) : [],
    prompts: isListed('prompts') ? catalogue.prompts.filter(isWanted) : [],
    resources: isListed('resources') ? catalogue.resources.filter(isWanted) : [],
    templates: isListed('templates') ? catalogue.templates.filter(isWanted) : [],
    servers: catalogue.servers.filter(isWanted),
  }
}

function coverageOf({ name: server, state }: ServerStatus): Catalogue['servers'][number] {
  if (state.kind === 'failed' || state.kind === 'untrusted') return { kind: 'missing', server, error: state.error }
  if (state.kind === 'ready') return { kind: 'listed', server }
  return {
    kind: 'missing',
    server,
    error: { code: 'timed_out', message: `Server "${server}" did not answer in time.`, server },
  }
}

export function ready(name: string, rest: Partial<Extract<ServerState, { kind: 'ready' }>> = {}): ServerStatus {
  const base = {
    kind: 'ready',
    era: 'legacy',
    protocolVersion: '2025-11-25',
    connectMs: 312,
    transport: 'stdio',
  } as const
  return { name, state: { ...base, ...rest } }
}

export function failed(name: string, error: Partial<ErrorJson> = {}, stderrTail: readonly string[] = []): ServerStatus {
  const base: ErrorJson = { code: 'start_failed', message: `Server "${name}" cannot start.`, server: name }
  return { name, state: { kind: 'failed', error: { ...base, ...error }, stderrTail } }
}

export function untrusted(name: string): ServerStatus {
  const error: ErrorJson = {
    code: 'not_trusted',
    message: `Server "${name}" has not been approved yet.`,
    server: name,
    next: 'Run: capstan review',
  }
  return { name, state: { kind: 'untrusted', change: 'new', error } }
}

export function toolOf(server: string, tool: string, rest: Partial<ToolEntry> = {}): ToolEntry {
  return {
    server,
    tool,
    id: `${server}.${tool}`,
    modelName: `${server}__${tool}`,
    inputSchema: { type: 'object', properties: {} },
    ...rest,
  }
}

export function promptOf(server: string, prompt: string, rest: Partial<PromptEntry> = {}): PromptEntry {
  return { server, prompt, id: `${server}:${prompt}`, ...rest }
}
