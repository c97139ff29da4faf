import type { ResolveOptions } from '../config/interpolate.ts'
import { makeCommandRunner } from '../config/run-command.ts'
import { inlineConfig } from '../config/load.ts'
import type { Config, RawEntry } from '../config/types.ts'
import { CapstanError, stopped } from '../errors.ts'
import { places } from '../files/places.ts'
import { isDenied } from '../policy/decide.ts'
import type { Sandbox } from '../sandbox/api.ts'
import type {
  Catalogue,
  CatalogueOptions,
  Coverage,
  Hub,
  HubEvent,
  JsonObject,
  ListKind,
  ResourceContents,
  ToolEntry,
  ToolHit,
  ToolRef,
  ToolResult,
  ToolSearchOptions,
} from './api.ts'
import type { CallLog } from './call-log.ts'
import { buildCatalogue, noLists, type Lists } from './catalogue.ts'
import type { SchemaCheck } from './check-arguments.ts'
import { eras } from './eras.ts'
import { execute, noSandbox } from './exec.ts'
import { leftovers } from './leftovers.ts'
import { listingCache } from './listing-cache.ts'
import type { ConnectionPool } from './connection-pool.ts'
import { connect } from './connect.ts'
import { closest } from './names.ts'
import { completeArgument, renderPrompt } from './prompts.ts'
import type { GracePeriods, ServerProcess } from './server-process.ts'
import type { ToolSearch } from './search.ts'
import { serverSet, type ServerSet } from './server-set.ts'
import { listsOf, type LiveServer } from './server.ts'
import type { BuiltinServer, HubContext } from './setup.ts'
import type { Tap } from './tap-transport.ts'
import { waitFor } from './wait-for.ts'

export interface OpenHubOptions {
  /** Aborting it closes the hub. */
  readonly signal?: AbortSignal
  readonly builtins?: readonly BuiltinServer[]
  /** Sees every protocol message. */
  readonly tap?: Tap
  /** How long a server gets to end by itself when the hub closes. */
  readonly grace?: GracePeriods
  /** The longest message a stdio server may send. */
  readonly maxLineBytes?: number
  /** Makes the sandbox for `exec`, when it is first needed. */
  readonly sandbox?: () => Promise<Sandbox>
  /** Keeps a line for every call. */
  readonly callLog?: CallLog
  /** Servers that several hubs share; without it this hub runs its own. */
  readonly pool?: Pick<ConnectionPool, 'connect'>
  /** Who this hub is for, where servers are shared. */
  readonly client?: string
  /** How `${cmd:…}` and `${input:…}` get their values. */
  readonly resolve?: ResolveOptions
}

/** The hub whose servers run in this process. */
export interface OpenedHub extends Hub {
  /** Takes a new config: only servers whose entry changed are closed, and connect anew when next needed. */
  readonly reload: (config: Config) => Promise<void>
}

/** The same object that the `mcp.json` files hold. */
export interface InlineConfig {
  readonly mcpServers: Readonly<Record<string, RawEntry>>
}

/** Opens a hub over a loaded config or over an `mcpServers` object. Nothing is started until it is needed. */
export async function openHub(config: Config | InlineConfig, options: OpenHubOptions = {}): Promise<OpenedHub> {
  if (options.signal?.aborted) throw stopped(options.signal, 'the hub')
  const first = 'mcpServers' in config ? inlineConfig(config.mcpServers) : config
  const processes = new Set<ServerProcess>()
  const listeners = new Set<(event: HubEvent) => void>()
  const emit = (event: HubEvent) => listeners.forEach((listener) => notify(listener, event))
  const context = contextOf(first, options, { processes, emit })
  const servers = serverSet(context, options.builtins ?? [])
  // Loaded with the first call, while its server boots.
  let checking: Promise<SchemaCheck> | undefined
  const loadCheck = () => (checking ??= import('./check-arguments.ts').then(({ schemaCheck }) => schemaCheck()))
  const findTools = toolSearch()
  let sandbox: Promise<Sandbox> | undefined
  let { catalogueSeconds } = first.settings

  // The last resort when this process ends without closing the hub: an uncaught error, a second Ctrl-C.
  const lastResort = onExit(() => processes.forEach((child) => child.kill()))
  const closeOnAbort = () => void close()
  const close = once(async () => {
    options.signal?.removeEventListener('abort', closeOnAbort)
    await servers.close()
    await Promise.all([context.listings.settled(), options.callLog?.settled()])
    await Promise.all([...processes].map((child) => child.stop(context.grace)))
    lastResort[Symbol.dispose]()
    context.leftovers.forget()
  })
  options.signal?.addEventListener('abort', closeOnAbort, { once: true })
  context.leftovers.sweep()
  await servers.take(first.servers)

  const hub: OpenedHub = {
    servers: async () => servers.all().map((server) => server.status()),
    catalogue: (wanted = {}) => collectCatalogue(servers, { ...wanted, deadlineMs: catalogueSeconds * 1000 }),
    async call(ref, args, callOptions = {}) {
      const startedAt = performance.now()
      const report = (
        outcome: (HubEvent & { kind: 'call' })['outcome'],
        end: { result?: ToolResult; error?: string },
      ) => {
        const ms = performance.now() - startedAt
        emit({ kind: 'call', tool: ref, ms, outcome })
        options.callLog?.record({ tool: ref, ms, outcome, args, ...end })
      }
      try {
        const result = await callTool({ servers, loadCheck, ref, args }, callOptions)
        report(result.isError === true ? 'tool_error' : 'ok', { result })
        return result
      } catch (error) {
        if (error instanceof CapstanError) report(error.code, { error: error.message })
        throw error
      }
    },
    prompt: async (ref, args, wait) => renderPrompt(servers.named(ref.server), ref, { args, signal: wait?.signal }),
    complete: async (target, argument, wait) =>
      completeArgument(servers.named(target.server), target, { argument, ...wait }),
    read: async (ref, wait) => {
      const contents = await servers
        .named(ref.server)
        .request('resources/read', { uri: ref.uri }, { signal: wait?.signal })
      return (Array.isArray(contents['contents']) ? contents : { ...contents, contents: [] }) as ResourceContents
    },
    async search(query, wanted = {}) {
      const { servers: names, signal } = wanted
      const look = { kinds: ['tools'] as const, deadlineMs: catalogueSeconds * 1000 }
      const { tools } = await collectCatalogue(servers, {
        ...look,
        ...(names === undefined ? {} : { servers: names }),
        ...(signal === undefined ? {} : { signal }),
      })
      return findTools(tools, query, wanted)
    },
    exec: async (code, wanted = {}) => {
      if (options.sandbox === undefined) throw noSandbox()
      return execute(await (sandbox ??= options.sandbox()), { ...hub, denied: servers.denied }, { code, ...wanted })
    },
    control: (name, action, wait) =>
      waitFor(servers.control(name, action), wait?.signal, `${action} of server "${name}"`),
    logs: async (name) => servers.named(name).logs(),
    on(listener) {
      // A function of its own for each, so that who listens twice can stop once.
      const own = (event: HubEvent) => listener(event)
      listeners.add(own)
      return { [Symbol.dispose]: () => void listeners.delete(own) }
    },
    async reload(next) {
      catalogueSeconds = next.settings.catalogueSeconds
      await servers.take(next.servers)
    },
    [Symbol.asyncDispose]: close,
  }
  return hub
}

/** A search that is loaded with its first query and keeps its index while the tools stay the same. */
function toolSearch(): (
  tools: readonly ToolEntry[],
  query: string,
  wanted: ToolSearchOptions,
) => Promise<readonly ToolHit[]> {
  let built: { readonly key: string; readonly search: ToolSearch } | undefined
  return async (tools, query, wanted) => {
    const { makeToolSearch } = await import('./search.ts')
    const key = JSON.stringify(tools)
    if (built?.key !== key) built = { key, search: makeToolSearch(tools) }
    return built.search(query, wanted)
  }
}

const defaultGrace: GracePeriods = { beforeTermMs: 1500, beforeKillMs: 1500 }
const defaultMaxLineBytes = 128 * 2 ** 20

function contextOf(
  { surroundings }: Config,
  { grace = defaultGrace, maxLineBytes = defaultMaxLineBytes, resolve = {}, tap, pool, client }: OpenHubOptions,
  { processes, emit }: { readonly processes: Set<ServerProcess>; readonly emit: (event: HubEvent) => void },
): HubContext {
  const { cache, runtime } = places(surroundings.env)
  const { env, homeFolder } = surroundings
  return {
    surroundings,
    // One runner for all servers, so that each `${cmd:…}` runs once.
    resolve: { runCommand: makeCommandRunner({ env, homeFolder }), ...resolve },
    eras: eras(`${cache}/eras.json`, Date.now),
    listings: listingCache(`${cache}/listings`, Date.now),
    leftovers: leftovers(`${runtime}/servers`),
    grace,
    maxLineBytes,
    tap,
    connect: pool?.connect ?? connect,
    client,
    onProcess(child) {
      processes.add(child)
      void child.exited.then(() => processes.delete(child))
    },
    emit,
  }
}

function notify(listener: (event: HubEvent) => void, event: HubEvent): void {
  try {
    listener(event)
  } catch (error) {
    // A bug of the listener's: it must reach the top, but not through the middle of our own work.
    queueMicrotask(() => {
      throw error
    })
  }
}

/** Runs at the end of this process, however it comes. Hubs may be many, so each raises the count at which Node suspects a leak. */
function onExit(run: () => void): Disposable {
  const raise = (by: number) => {
    // 0 stands for no limit.
    if (process.getMaxListeners() > 0) process.setMaxListeners(process.getMaxListeners() + by)
  }
  raise(1)
  process.once('exit', run)
  return {
    [Symbol.dispose]() {
      process.removeListener('exit', run)
      raise(-1)
    },
  }
}

function once(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  return () => (running ??= run())
}

const allKinds: readonly ListKind[] = ['tools', 'prompts', 'resources', 'templates']

/** Asks all servers at once and comes back at the deadline with what is there, naming what is missing. */
async function collectCatalogue(
  servers: ServerSet,
  { servers: names, kinds = allKinds, fresh, signal, deadlineMs }: CatalogueOptions & { readonly deadlineMs: number },
): Promise<Catalogue> {
  const wanted =
    (names && [...new Set(names)].map(servers.named)) ??
    servers.all().filter((server) => server.status().state.kind !== 'disabled')
  const timeout = AbortSignal.timeout(deadlineMs)
  const deadline = signal === undefined ? timeout : AbortSignal.any([signal, timeout])
  const answers = await Promise.all(
    wanted.map((server) => listsOrReason(server, { kinds, fresh: fresh ?? 'if-stale', signal: deadline })),
  )
  // The deadline yields what is there; the caller's own signal gives up.
  if (signal?.aborted) throw stopped(signal, 'the catalogue')
  return buildCatalogue(answers)
}

async function listsOrReason(
  server: LiveServer,
  options: Parameters<typeof listsOf>[1] & { readonly signal: AbortSignal },
): Promise<{ readonly coverage: Coverage; readonly lists: Lists }> {
  const { name } = server
  try {
    const { lists, staleBecause } = await listsOf(server, options)
    return {
      lists,
      coverage:
        staleBecause === undefined
          ? { kind: 'listed', server: name }
          : { kind: 'stale', server: name, error: staleBecause },
    }
  } catch (error) {
    if (!(error instanceof CapstanError)) throw error
    const reason = options.signal.aborted
      ? new CapstanError('connect_timed_out', `Server "${name}" did not answer within the deadline of the catalogue.`, {
          server: name,
          next: `Raise catalogue_seconds in config.toml, or run: capstan doctor ${name}`,
        })
      : error
    return { lists: noLists, coverage: { kind: 'missing', server: name, error: reason.toJSON() } }
  }
}

interface Call {
  readonly servers: ServerSet
  readonly loadCheck: () => Promise<SchemaCheck>
  readonly ref: ToolRef
  readonly args: JsonObject
}

/** Everything that can be refused is refused before a byte is sent. */
async function callTool(
  { servers, loadCheck, ref, args }: Call,
  { signal, onProgress, idleSeconds }: Parameters<Hub['call']>[2] & {},
): Promise<ToolResult> {
  const server = servers.named(ref.server)
  const tool = await toolNamed(server, ref.tool, signal)
  if (isDenied(servers.denied(ref.server), ref)) {
    throw new CapstanError('not_allowed', `The tool ${tool.id} is denied by the config.`, {
      server: ref.server,
      next: 'Remove it from "deny" of the server to use it.',
    })
  }
  const check = await loadCheck()
  check.assertArguments(tool, args)
  const idleMs = idleSeconds === undefined ? server.limits.idleMs : idleSeconds * 1000
  const result = await server.callTool(tool, args, {
    signal,
    onProgress,
    idleMs,
    maxMs: Math.max(server.limits.maxMs, idleMs),
  })
  return asToolResult(result, tool, check)
}

async function toolNamed(server: LiveServer, name: string, signal: AbortSignal | undefined): Promise<ToolEntry> {
  // A list from before would do for the name, but not for the call: one attempt to connect is enough to know.
  await server.connection(signal)
  const known = (await server.list('tools', { signal })).entries.find((tool) => tool.tool === name)
  if (known !== undefined) return known
  // Not every server announces its changes: ask once more before saying no.
  const { entries } = await server.list('tools', { signal, fresh: true })
  const found = entries.find((tool) => tool.tool === name)
  if (found !== undefined) return found
  const near = closest(
    `${server.name}.${name}`,
    entries.map((tool) => tool.id),
  )
  throw new CapstanError('tool_unknown', `Server "${server.name}" has no tool "${name}".${near}`, {
    server: server.name,
    next: `Run: capstan list ${server.name}`,
  })
}

function asToolResult(result: JsonObject, tool: ToolEntry, check: SchemaCheck): ToolResult {
  const whole = (Array.isArray(result['content']) ? result : { ...result, content: [] }) as ToolResult
  if (whole.isError === true || tool.outputSchema === undefined) return whole
  const { structuredContent } = whole
  const problems =
    structuredContent === undefined ? ['it has no structured content'] : check.outputProblems(tool, structuredContent)
  if (problems.length === 0) return whole
  return { ...whole, warnings: [`The output of ${tool.id} does not fit its own schema: ${problems.join('; ')}.`] }
}
