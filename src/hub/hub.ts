import type { ResolveOptions } from '../config/interpolate.ts'
import { makeCommandRunner } from '../config/run-command.ts'
import { inlineConfig } from '../config/load.ts'
import type { Config, RawEntry } from '../config/types.ts'
import { CapstanError, stopped } from '../errors.ts'
import { places } from '../files/places.ts'
import { assertShallow } from '../policy/shallow-arguments.ts'
import type { Sandbox } from '../sandbox/api.ts'
import type { Hub, HubEvent, OnAsk, ResourceContents, ToolResult } from './api.ts'
import type { CallLog } from './call-log.ts'
import { callTool } from './call-tool.ts'
import type { SchemaCheck } from './arguments/check-arguments.ts'
import { collectCatalogue } from './catalogue/collect-catalogue.ts'
import type { Nesting } from './wire/connection.ts'
import { execute, noSandbox, type ExecHub } from './exec.ts'
import { listingCache } from './catalogue/listing-cache.ts'
import { connectionPool, type ConnectionPool } from './servers/connection-pool.ts'
import { connect, type ServerHost } from './wire/connect.ts'
import { completeArgument, renderPrompt } from './prompts.ts'
import { openServerHost } from './servers/server-host.ts'
import type { GracePeriods } from './wire/server-process.ts'
import { searchTools } from './search/search-tools.ts'
import { serverSet } from './servers/server-set.ts'
import { subscriptions } from './subscriptions.ts'
import type { BuiltinServer, HubContext } from './servers/setup.ts'
import type { Tap } from './wire/tap-transport.ts'
import { waitFor } from './wait-for.ts'
import type { RemoteWatch } from './wire/watch-remote.ts'

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
  /** How remote connections are watched. */
  readonly remoteWatch?: RemoteWatch
  /** Makes the sandbox for `exec`, when it is first needed. */
  readonly sandbox?: () => Promise<Sandbox>
  /** Keeps a line for every call. */
  readonly callLog?: CallLog
  /** Servers that several hubs share; without it this hub runs its own. */
  readonly pool?: SharedPool
  /** Who this hub is for, where servers are shared. */
  readonly client?: string
  /** Answers what servers ask when the caller does not; without it they are declined. */
  readonly onAsk?: OnAsk
  /** How `${cmd:…}` and `${input:…}` get their values. */
  readonly resolve?: ResolveOptions
}

/** Servers that run for several hubs, and the process they run in. */
export interface SharedPool extends Pick<ConnectionPool, 'lease' | 'status'> {
  readonly host: ServerHost
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
  const listeners = new Set<(event: HubEvent) => void>()
  const emit = (event: HubEvent) => listeners.forEach((listener) => notify(listener, event))
  const { env } = first.surroundings
  // Where servers are shared, whoever shares them runs them.
  const own = options.pool === undefined ? openServerHost({ env, ...options }) : undefined
  const ownPool = connectionPool()
  let sandbox: Promise<Sandbox> | undefined
  const makeSandbox = options.sandbox
  const loadSandbox = makeSandbox === undefined ? undefined : () => (sandbox ??= makeSandbox())
  const ownTools = loadSandbox === undefined ? undefined : { sandbox: loadSandbox, hubFor }
  const context = contextOf(first, options, { ownPool, host: own ?? options.pool?.host, emit, ownTools })
  const servers = serverSet(context, options.builtins ?? [])
  // Loaded with the first call, while its server boots.
  let checking: Promise<SchemaCheck> | undefined
  const loadCheck = () =>
    (checking ??= import('./arguments/check-arguments.ts').then(({ schemaCheck }) => schemaCheck()))
  const findTools = searchTools()
  const followed = subscriptions(servers.named, emit)
  let { catalogueSeconds } = first.settings

  const closeOnAbort = () => void close()
  const close = once(async () => {
    options.signal?.removeEventListener('abort', closeOnAbort)
    followed.close()
    await servers.close()
    await Promise.all([context.listings.close(), options.callLog?.settled()])
    await ownPool[Symbol.asyncDispose]()
    await own?.[Symbol.asyncDispose]()
  })
  options.signal?.addEventListener('abort', closeOnAbort, { once: true })
  await servers.take(first.servers)

  const hub: OpenedHub = {
    servers: () => servers.statuses(),
    catalogue: (wanted = {}) => collectCatalogue(servers, { ...wanted, deadlineMs: catalogueSeconds * 1000 }),
    call: (ref, args, callOptions) => callFrom(undefined, ref, args, callOptions),
    prompt: async (ref, args, wait) => renderPrompt(servers.named(ref.server), ref, { args, ...wait }),
    complete: async (target, argument, wait) =>
      completeArgument(servers.named(target.server), target, { argument, ...wait }),
    read: async (ref, wait) => {
      const contents = await servers.named(ref.server).request('resources/read', { uri: ref.uri }, { ...wait })
      return (Array.isArray(contents['contents']) ? contents : { ...contents, contents: [] }) as ResourceContents
    },
    subscribe: (ref, wait = {}) => waitFor(followed.subscribe(ref), wait.signal, `changes of ${ref.uri}`),
    unsubscribe: async (ref) => followed.unsubscribe(ref),
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
      if (loadSandbox === undefined) throw noSandbox()
      return execute(await loadSandbox(), hubFor({ depth: 1, deny: wanted.deny ?? [] }), { code, ...wanted })
    },
    control: (name, action, wait = {}) =>
      waitFor(servers.control(name, action, wait), wait.signal, `${action} of server "${name}"`),
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

  /** `nesting` is what a call inherits that a run in the sandbox makes. */
  async function callFrom(
    nesting: Nesting | undefined,
    ...[ref, args, callOptions = {}]: Parameters<Hub['call']>
  ): Promise<ToolResult> {
    // Before all else: the log of calls walks them too.
    assertShallow(args)
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
      const result = await callTool({ servers, loadCheck, ref, args, nesting }, callOptions)
      report(result.isError === true ? 'tool_error' : 'ok', { result })
      return result
    } catch (error) {
      if (error instanceof CapstanError) report(error.code, { error: error.message })
      throw error
    }
  }

  /** The hub as code in the sandbox sees it. */
  function hubFor(nesting: Nesting): ExecHub {
    const { denied, leftOut } = servers
    return { ...hub, call: (...call) => callFrom(nesting, ...call), denied, leftOut }
  }
}

interface Running {
  readonly ownPool: ConnectionPool
  readonly host: ServerHost | undefined
  readonly emit: (event: HubEvent) => void
  readonly ownTools: HubContext['ownTools']
}

function contextOf(
  { surroundings }: Config,
  { resolve = {}, tap, pool, client, onAsk }: OpenHubOptions,
  { ownPool, host, emit, ownTools }: Running,
): HubContext {
  if (host === undefined) throw new Error('nobody runs the servers')
  const { env, homeFolder } = surroundings
  return {
    surroundings,
    // One runner for all servers, so that each `${cmd:…}` runs once.
    resolve: { runCommand: makeCommandRunner({ env, homeFolder }), ...resolve },
    listings: listingCache(`${places(env).cache}/listings`, Date.now),
    host,
    tap,
    connect,
    pool: pool ?? ownPool,
    isShared: pool !== undefined,
    ownPool,
    client,
    onAsk,
    emit,
    ownTools,
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

function once(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  return () => (running ??= run())
}
