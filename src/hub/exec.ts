import { CapstanError } from '../errors.ts'
import { isAllowed, isDenied, serversAllowed } from '../policy/decide.ts'
import type { Entry, ExecOutcome, RunOptions, Sandbox } from '../sandbox/api.ts'
import type { Catalogue, ExecOptions, Hub, JsonValue, LeftOutTool, ToolEntry, ToolRef } from './api.ts'
import { findTool } from './catalogue/names.ts'
import { nearest } from './catalogue/nearest.ts'
import { signature } from './catalogue/signature.ts'

/** What a snippet may use of a hub. */
export type ExecHub = Pick<Hub, 'servers' | 'catalogue' | 'call' | 'search'> & {
  /** Patterns of tools that the config denies, by server. */
  readonly denied: (server: string) => readonly string[]
  readonly leftOut: (server: string) => readonly LeftOutTool[]
}

export interface Execution extends ExecOptions {
  readonly code: string
  /** A snippet when absent. */
  readonly entry?: Entry
  readonly depth?: number
}

/** Runs a snippet over the tools of a hub. The policy decides once which tools are there; every call passes the hub's own again. */
export async function execute(sandbox: Sandbox, hub: ExecHub, options: Execution): Promise<ExecOutcome> {
  const { code, signal, language, limits, onEvent, onAsk, entry, depth } = options
  const asked = await serversToAsk(hub, options)
  const catalogue = await hub.catalogue({
    kinds: ['tools'],
    ...asked,
    ...(signal === undefined ? {} : { signal }),
  })
  for (const coverage of catalogue.servers) {
    if (coverage.kind === 'missing') onEvent?.({ kind: 'missing', server: coverage.server, error: coverage.error })
  }
  const tools = catalogue.tools.filter((tool) => isThere(tool, hub, options))
  const visible = { ...catalogue, tools }
  const run: RunOptions = {
    tools: namesByServer(tools),
    call: (tool, args, { signal: own }) =>
      hub.call(tool, args, { signal: own, ...(onAsk === undefined ? {} : { onAsk }) }),
    search: async (query, filter, { signal: own }) =>
      found(await hub.search(query, { ...asked, ...filter, signal: own }), visible),
    inspect: async (name) => described(findTool(visible, name)),
    whyAbsent: (tool) => whyAbsent(tool, hub, catalogue),
    nearest: (name, candidates) => nearest(name, candidates),
    ...(signal === undefined ? {} : { signal }),
    ...(language === undefined ? {} : { language }),
    ...(limits === undefined ? {} : { limits }),
    ...(entry === undefined ? {} : { entry }),
    ...(depth === undefined ? {} : { depth }),
    ...(onEvent === undefined
      ? {}
      : { onLog: (line) => onEvent({ kind: 'log', line }), onCall: (event) => onEvent({ kind: 'call', event }) }),
  }
  return sandbox.run(code, run)
}

/** A narrow list of allowed tools needs no other servers: they would be started for nothing, and waited for. */
async function serversToAsk(hub: ExecHub, { allow }: ExecOptions): Promise<{ readonly servers?: readonly string[] }> {
  if (allow === undefined) return {}
  const enabled = (await hub.servers()).filter(({ state }) => state.kind !== 'disabled')
  const names = enabled.map(({ name }) => name)
  return { servers: serversAllowed(allow, names) }
}

function isThere(tool: ToolEntry, hub: ExecHub, { allow, deny = [] }: ExecOptions): boolean {
  const denied = [...deny, ...hub.denied(tool.server)]
  return allow === undefined ? !isDenied(denied, tool) : isAllowed({ allow, deny: denied }, tool)
}

/** A server that did not answer, or a tool that waits for approval, is something else than a wrong name. */
function whyAbsent({ server, tool }: ToolRef, hub: ExecHub, { servers }: Catalogue): CapstanError | undefined {
  const coverage = servers.find((one) => one.server === server)
  if (coverage === undefined) return undefined
  const leftOut = hub.leftOut(server).find((one) => one.tool === tool)?.error
  const error = leftOut ?? (coverage.kind === 'missing' ? coverage.error : undefined)
  return error === undefined ? undefined : CapstanError.fromJSON(error)
}

function namesByServer(tools: readonly ToolEntry[]): Readonly<Record<string, readonly string[]>> {
  const servers = Map.groupBy(tools, (tool) => tool.server)
  return Object.fromEntries([...servers].map(([server, own]) => [server, own.map((tool) => tool.tool)]))
}

/** Few words for each: a snippet that wants more inspects. */
function found(hits: Awaited<ReturnType<Hub['search']>>, { tools }: Catalogue): JsonValue {
  const ids = new Set(tools.map((tool) => tool.id))
  return hits
    .filter(({ tool }) => ids.has(tool.id))
    .map(({ tool, score }) => ({
      name: tool.id,
      description: tool.description ?? '',
      signature: signature(tool),
      score,
    }))
}

function described(tool: ToolEntry): JsonValue {
  // Definitions came as JSON, so they are JSON.
  return JSON.parse(JSON.stringify({ ...tool, name: tool.id, signature: signature(tool) })) as JsonValue
}

/** A hub that was given no sandbox. */
export function noSandbox(): CapstanError {
  return new CapstanError('usage', 'This hub was opened without a sandbox, so it runs no code.', {
    next: 'Hand one in: openHub(config, { sandbox: async () => createSandbox() })',
  })
}
