import type { Transport } from '@modelcontextprotocol/client'
import { serverIdentity } from '../../config/identity.ts'
import { resolveServer, type ResolveOptions } from '../../config/interpolate.ts'
import type { ConfiguredServer, ServerConfig, Surroundings } from '../../config/types.ts'
import { CapstanError, messageOf, unreachable } from '../../errors.ts'
import { places } from '../../files/places.ts'
import { toolExists } from '../../policy/decide.ts'
import type { HubEvent, JsonObject, ListKind, OnAsk } from '../api.ts'
import type { Connection } from '../wire/connection.ts'
import { handshake, type ConnectOptions, type ServerHost } from '../wire/connect.ts'
import type { ConnectionPool } from './connection-pool.ts'
import type { ServerPlan } from './shared-server.ts'
import { listingKey, type ListingCache } from '../catalogue/listing-cache.ts'
import { setupOwnTools, type OwnToolsWorld, type SetupWithGaps } from '../own-tools/setup-own-tools.ts'
import type { Limits, ServerSetup } from './server.ts'
import type { OpenHooks } from './server-copy.ts'
import type { Tap } from '../wire/tap-transport.ts'
import { waitFor } from '../wait-for.ts'

/** A server that runs inside this process, handed in from outside. */
export type BuiltinServer = BuiltinFacts & (SpokenTo | Answering)

interface BuiltinFacts {
  readonly name: string
  readonly description?: string
  /** What it offers, where that can be told without using it. */
  readonly list?: (kind: ListKind) => Promise<readonly JsonObject[]>
  /** What it suggests for an argument of a prompt, where that can be told without using it. */
  readonly suggest?: (
    prompt: string,
    argument: { readonly name: string; readonly value: string },
  ) => Promise<readonly string[]>
}

interface SpokenTo {
  /** Starts it and returns the client's end of its transport. */
  readonly start: () => Promise<Transport>
}

interface Answering {
  /** For one that needs no protocol between: the connection itself. */
  readonly open: (hooks: OpenHooks) => Promise<Connection>
}

/** What all servers of one hub share. */
export interface HubContext {
  readonly surroundings: Surroundings
  readonly resolve: ResolveOptions
  readonly listings: ListingCache
  /** Of the process that runs the servers. */
  readonly host: ServerHost
  readonly tap?: Tap | undefined
  /** Opens one connection. */
  readonly connect: (server: ServerConfig, options: ConnectOptions) => Promise<Connection>
  /** What runs: this hub's own servers, or those that several hubs share. */
  readonly pool: Pick<ConnectionPool, 'lease' | 'status'>
  /** Whether others use the pool as well. */
  readonly isShared: boolean
  /** For what runs inside this hub and nobody else can use. */
  readonly ownPool: Pick<ConnectionPool, 'lease'>
  readonly client?: string | undefined
  /** What the person's own tools run in and see; absent where there is no sandbox. */
  readonly ownTools?: OwnToolsWorld | undefined
  /** Answers what servers ask when the caller does not. */
  readonly onAsk?: OnAsk | undefined
  readonly emit: (event: HubEvent) => void
}

const defaultLimits: Limits = { idleMs: 60_000, maxMs: 600_000, startMs: 30_000 }

/** How a configured server lives: its limits, whether it may be used, and what is run for it. */
export function setupConfigured(spec: ConfiguredServer, context: HubContext): SetupWithGaps {
  const { name, standing } = spec
  if (standing.kind === 'own') return setupOwnTools(name, standing, context)
  const server = standing.kind === 'usable' ? standing.server : undefined
  const barred = whyBarred(spec)
  const resolve = async () => {
    if (server === undefined) throw new Error(`server "${name}" is barred`)
    const { layer, file } = spec.origin
    const where = { name, layer, ...(file === undefined ? {} : { file }) }
    return resolveServer(server, where, context.surroundings, context.resolve)
  }
  return {
    name,
    description: server?.description,
    limits: server === undefined ? defaultLimits : limitsOf(server),
    ...(barred === undefined ? {} : { barred }),
    toolExists: (tool) => server === undefined || toolExists(server.tools, tool),
    emit: context.emit,
    onAsk: context.onAsk,
    keepListing: (kind, items) => context.listings.keep(listingKey(spec, context.surroundings), kind, items),
    ...(server?.transport === 'remote' ? loginOf(name, resolve, context) : {}),
    // Nothing may be run or asked just to look.
    ...(context.isShared && !/\$\{(?:cmd|input):/.test(JSON.stringify(spec.entry))
      ? { peek: async () => context.pool.status(shareKey(await resolve(), context)) }
      : {}),
    async lease(user) {
      const resolved = await resolve()
      const key = context.isShared ? shareKey(resolved, context) : name
      return context.pool.lease(key, planOf(name, resolved, context), user)
    },
  }
}

/** What speaks OAuth is with what speaks MCP: both stand on the SDK, which is loaded in one place. */
function loginOf(
  name: string,
  resolve: () => Promise<ServerConfig>,
  { surroundings: { env }, onAsk: byDefault = declineAll }: HubContext,
): Pick<ServerSetup, 'login' | 'logout'> {
  const prepare = async () => {
    const [server, client] = await Promise.all([resolve(), import('../wire/client.ts')])
    if (server.transport !== 'remote') throw new Error(`server "${name}" is not remote`)
    return { client, whose: { name, server, store: client.authStore({ folder: places(env).state }) } }
  }
  return {
    async login({ signal, onAsk = byDefault }) {
      const { client, whose } = await prepare()
      await client.login({ ...whose, signal, onAsk })
    },
    async logout({ signal }) {
      const { client, whose } = await prepare()
      await client.logout({ ...whose, signal })
    },
  }
}

const declineAll: OnAsk = async () => ({ action: 'decline' })

function planOf(name: string, server: ServerConfig, context: HubContext): ServerPlan {
  const { host, tap, surroundings } = context
  const roots = server.roots ? [surroundings.workspaceFolder] : undefined
  const connectOptions = { name, env: surroundings.env, tap, roots, sampling: server.sampling, ...host }
  return {
    name,
    opens: copiesOf(server).map((copy) => (hooks) => context.connect(copy, { ...connectOptions, ...hooks })),
    startMs: server.startTimeout * 1000,
    retry: server.retry,
    concurrency: server.concurrency,
    isPerCall: context.isShared && server.lifecycle === 'per-call',
    ...(context.isShared ? { idleMs: server.idle * 1000 } : {}),
  }
}

function copiesOf(server: ServerConfig): readonly ServerConfig[] {
  return server.transport === 'stdio'
    ? Array.from({ length: server.replicas }, () => server)
    : [server.url, ...server.otherUrls].map((url) => ({ ...server, url, otherUrls: [] }))
}

/** The environment that every child inherits belongs to its identity: another PATH may mean another program. */
function shareKey(server: ServerConfig, { surroundings: { env, workspaceFolder }, client }: HubContext): string {
  const inherited = ['PATH', 'HOME', 'USER', 'LOGNAME'].map((variable) => env[variable] ?? '')
  return [
    serverIdentity(server),
    server.share === 'client' ? (client ?? '') : '',
    // Callers that a server tells apart cannot share it.
    server.roots ? workspaceFolder : '',
    ...(server.transport === 'stdio' ? inherited : []),
  ].join('\n')
}

export function setupBuiltin(builtin: BuiltinServer, context: HubContext): SetupWithGaps {
  const { name, description } = builtin
  return {
    name,
    description,
    limits: defaultLimits,
    toolExists: () => true,
    emit: context.emit,
    onAsk: context.onAsk,
    lease: async (user) =>
      context.ownPool.lease(
        name,
        {
          name,
          opens: [
            'open' in builtin
              ? builtin.open
              : (hooks) => openBuiltin(name, builtin.start, { name, tap: context.tap, ...hooks }),
          ],
          startMs: defaultLimits.startMs,
          retry: 'safe',
          isPerCall: false,
        },
        user,
      ),
  }
}

/** Its failures are told like those of any other server. */
async function openBuiltin(
  name: string,
  start: SpokenTo['start'],
  options: OpenHooks & { readonly name: string; readonly tap: Tap | undefined },
): Promise<Connection> {
  const starting = start()
  try {
    const transport = await waitFor(starting, options.signal, `server "${name}" to start`)
    return await handshake({ transport, kind: 'memory', mode: 'auto', options })
  } catch (error) {
    // What comes too late, or does not speak MCP, is of no use to anybody.
    void starting.then((transport) => transport.close()).catch(() => {})
    throw builtinFailure(error, name, options.signal)
  }
}

function builtinFailure(error: unknown, name: string, signal: AbortSignal): CapstanError {
  const details = { server: name, cause: error, next: `Run: capstan doctor ${name}` }
  if (signal.aborted) return new CapstanError('connect_timed_out', `Server "${name}" did not start in time.`, details)
  if (error instanceof CapstanError) return error
  return new CapstanError('start_failed', `Server "${name}" cannot start: ${messageOf(error)}.`, details)
}

function limitsOf(server: ServerConfig): Limits {
  return { idleMs: server.timeout * 1000, maxMs: server.maxTimeout * 1000, startMs: server.startTimeout * 1000 }
}

function whyBarred({ name, standing, origin }: ConfiguredServer): ServerSetup['barred'] {
  switch (standing.kind) {
    case 'usable':
    case 'own':
      return undefined
    case 'disabled': {
      const error = new CapstanError('server_disabled', `Server "${name}" is disabled.`, {
        server: name,
        next: `Run: capstan enable ${name}`,
      })
      return { state: { kind: 'disabled' }, error }
    }
    case 'invalid':
      return { state: { kind: 'failed', error: standing.error.toJSON(), stderrTail: [] }, error: standing.error }
    case 'untrusted': {
      const what = {
        new: 'has not been approved yet',
        changed: 'has changed since you approved it',
        refused: 'was refused by you',
      }[standing.change]
      const error = new CapstanError(
        'not_trusted',
        `Server "${name}" of the project file ${origin.file ?? ''} ${what}, so it was not started.`,
        {
          server: name,
          next: 'Run: capstan review',
        },
      )
      return { state: { kind: 'untrusted', change: standing.change, error: error.toJSON() }, error }
    }
    default:
      return unreachable(standing)
  }
}
