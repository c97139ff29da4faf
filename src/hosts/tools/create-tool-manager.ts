import { argumentCheck, CapstanError, findTool, openPermissions, places } from '../../index.ts'
import type { Config, Hub, OnAsk, Permissions, ToolEntry } from '../../index.ts'
import { approvals, type Approve } from './approvals.ts'
import type { ContentLimits } from './guard-content.ts'
import { startInvocation, type Invocation, type InvocationOptions } from './invocation.ts'
import type { InvocationWorld, McpToolEvent } from './invocation.ts'
import { listenerSet } from './listener-set.ts'
import { liveTools, type ServerReport } from './live-tools.ts'
import { inside, nameOf, type McpToolName, type McpToolRequest } from './opaque.ts'
import { openLevels, type OpenedLevels, type OptionLevels } from './option-levels.ts'
import { orAborted } from './or-aborted.ts'
import type { Provider } from './provider-tools.ts'
import { readInput } from './read-input.ts'
import { threadSpecs, type ModelCall, type Specs, type SpecsOptions } from './specs.ts'

interface ManagerOptions {
  /** Asks before a call runs. Without it only what the config or `alwaysAllow` allows runs; the rest is refused. */
  readonly approve?: Approve
  /** Tools that run unasked, besides those of the config: names or globs, bare or as `server.tool`. */
  readonly alwaysAllow?: readonly string[]
  /** Answers what servers ask while they work; declined when absent. */
  readonly onAsk?: OnAsk
  /** How much of a result a model is given; 20 KB of text and media of 5 MB each when absent. */
  readonly limits?: Partial<ContentLimits>
  /** Gives up waiting for the servers at the start. */
  readonly signal?: AbortSignal
}

/** Over a hub that the host has, and closes itself. With the config it was opened from, that one's permissions hold here too. */
interface OverHub {
  readonly hub: Hub
  readonly config?: Config
}

export type ToolManagerOptions = ManagerOptions & (OptionLevels | OverHub)

/** The tools of all servers, for a program that has tools of its own. */
export interface ToolManager extends AsyncDisposable {
  /** How each server stands, and why one has no tools. */
  readonly servers: () => readonly ServerReport[]
  /** What a person should know about their options that stops nothing: misspelt fields, for example. */
  readonly warnings: () => readonly string[]
  /** All tools, as people read them. */
  readonly names: () => readonly McpToolName[]
  /** The definitions for one thread, as of now. */
  readonly specs: <P extends Provider>(options: SpecsOptions<P>) => Specs<P>
  /** The request of a call by the name that people read; undefined when there is no such tool. For a model's call use that of its specs. */
  readonly request: (call: ModelCall) => McpToolRequest | undefined
  /** Runs a call. */
  readonly start: (request: McpToolRequest, options?: InvocationOptions) => Invocation
  /** Whether a person would be asked before this call. */
  readonly needsApproval: (request: McpToolRequest) => boolean
  /** Hears of all invocations. */
  readonly on: (listener: (event: McpToolEvent) => void) => Disposable
  /** Hears of tools and servers that come, go or change. */
  readonly onChange: (listener: () => void) => Disposable
  /** Resolves when the project's servers have been asked about and those that were approved are there. */
  readonly settled: () => Promise<void>
}

const defaultLimits: ContentLimits = { textBytes: 20 * 1024, mediaBytes: 5 * 1024 * 1024 }

/** Connects to all servers and finds out what they offer. It is ready even where some fail: `servers()` says which. */
export async function createToolManager(options: ToolManagerOptions): Promise<ToolManager> {
  const { hub, config, levels } = await sourceOf(options)
  let permissions: Permissions | undefined
  const closing = new AbortController()
  const events = listenerSet<McpToolEvent>()
  const running = new Set<Invocation>()
  const live = liveTools(hub)
  const world: InvocationWorld = {
    hub,
    checkArguments: argumentCheck(),
    approvals: approvals({
      permissions: () => permissions,
      approve: options.approve,
      alwaysAllow: options.alwaysAllow ?? [],
    }),
    limits: { ...defaultLimits, ...options.limits },
    now: () => performance.now(),
    onEvent: events.tell,
  }
  const close = once(async () => {
    closing.abort()
    await Promise.all([...running].map((invocation) => invocation.result))
    live[Symbol.dispose]()
    events.clear()
    await levels?.hub[Symbol.asyncDispose]()
  })
  try {
    permissions = await permissionsOf(config)
    await live.refresh(options.signal === undefined ? {} : { signal: options.signal })
  } catch (error) {
    await close()
    throw error
  }
  const trust = settleTrust()
  // Whoever waits for `settled()` hears of a failure; nobody has to.
  trust.catch(() => {})

  return {
    servers: live.reports,
    warnings: () => config?.warnings ?? [],
    names: () => live.now().map(nameOf),
    specs: (wanted) => threadSpecs(live, wanted),
    request: ({ id, name, input }) => {
      const tool = toolNamed(live.now(), name)
      if (tool === undefined) return undefined
      const { modelName } = tool
      return { kind: 'mcp', id, name: nameOf(tool), [inside]: { tool, modelName, input: readInput(input) } }
    },
    start,
    needsApproval: world.approvals.wouldAsk,
    on: events.add,
    onChange: live.onChange,
    settled: () => trust,
    [Symbol.asyncDispose]: close,
  }

  function start(request: McpToolRequest, { signal, ...rest }: InvocationOptions = {}): Invocation {
    const stop = signal === undefined ? closing.signal : AbortSignal.any([closing.signal, signal])
    const asking = options.onAsk === undefined ? {} : { onAsk: options.onAsk }
    const invocation = startInvocation(request, { ...asking, ...rest, signal: stop }, world)
    running.add(invocation)
    void invocation.result.then(() => running.delete(invocation))
    return invocation
  }

  /** Beside everything else: a question that a person leaves open holds up nothing. */
  async function settleTrust(): Promise<void> {
    if (levels === undefined) return
    const { signal } = closing
    const next = await orAborted(() => levels.settleTrust({ signal }), signal)
    if (next === undefined) return
    permissions = await permissionsOf(next)
    await live.refresh({ signal })
  }
}

interface Source {
  readonly hub: Hub
  readonly config?: Config | undefined
  /** Absent where the hub is the host's. */
  readonly levels?: OpenedLevels
}

async function sourceOf(options: ToolManagerOptions): Promise<Source> {
  if ('hub' in options) return { hub: options.hub, config: options.config }
  const levels = await openLevels(options)
  return { hub: levels.hub, config: levels.config, levels }
}

/** What was said before, in this project, about servers whose entries are known. */
async function permissionsOf(config: Config | undefined): Promise<Permissions | undefined> {
  if (config === undefined) return undefined
  const { env, workspaceFolder: project } = config.surroundings
  return openPermissions({ stateFolder: places(env).state, project, config })
}

function toolNamed(tools: readonly ToolEntry[], name: string): ToolEntry | undefined {
  try {
    return findTool({ tools, prompts: [], resources: [], templates: [], servers: [] }, name)
  } catch (error) {
    if (error instanceof CapstanError) return undefined
    throw error
  }
}

function once(run: () => Promise<void>): () => Promise<void> {
  let under: Promise<void> | undefined
  return () => (under ??= run())
}
