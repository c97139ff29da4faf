import type { Transport } from '@modelcontextprotocol/client'
import { resolveServer, type ResolveOptions } from '../config/interpolate.ts'
import type { ConfiguredServer, ServerConfig, Surroundings } from '../config/types.ts'
import { CapstanError, messageOf, unreachable } from '../errors.ts'
import { toolExists } from '../policy/decide.ts'
import type { HubEvent } from './api.ts'
import type { Connection } from './connection.ts'
import { handshake } from './connect.ts'
import type { ConnectServer } from './shared-server.ts'
import type { Eras } from './eras.ts'
import type { Leftovers } from './leftovers.ts'
import { listingKey, type ListingCache } from './listing-cache.ts'
import type { GracePeriods, ServerProcess } from './server-process.ts'
import type { LifeHooks, Limits, ServerSetup } from './server.ts'
import type { Tap } from './tap-transport.ts'
import { waitFor } from './wait-for.ts'

/** A server that runs inside this process, handed in from outside. */
export interface BuiltinServer {
  readonly name: string
  readonly description?: string
  /** Starts it and returns the client's end of its transport. */
  readonly start: () => Promise<Transport>
}

/** What all servers of one hub share. */
export interface HubContext {
  readonly surroundings: Surroundings
  readonly resolve: ResolveOptions
  readonly eras: Eras
  readonly listings: ListingCache
  readonly leftovers: Leftovers
  readonly grace: GracePeriods
  readonly maxLineBytes: number
  readonly tap?: Tap | undefined
  /** Opens connections: by itself, or from a pool that several hubs share. */
  readonly connect: ConnectServer
  readonly client?: string | undefined
  readonly onProcess: (child: ServerProcess) => void
  readonly emit: (event: HubEvent) => void
}

const defaultLimits: Limits = { idleMs: 60_000, maxMs: 600_000, startMs: 30_000 }

/** How a configured server lives: its limits, whether it may be used, and how a connection to it is opened. */
export function setupConfigured(spec: ConfiguredServer, context: HubContext): ServerSetup {
  const { name, standing } = spec
  const server = standing.kind === 'usable' ? standing.server : undefined
  const barred = whyBarred(spec)
  return {
    name,
    description: server?.description,
    limits: server === undefined ? defaultLimits : limitsOf(server),
    ...(barred === undefined ? {} : { barred }),
    toolExists: (tool) => server === undefined || toolExists(server.tools, tool),
    emit: context.emit,
    keepListing: (kind, items) => context.listings.keep(listingKey(spec, context.surroundings), kind, items),
    async open(hooks) {
      if (server === undefined) throw new Error(`server "${name}" is barred`)
      const { layer, file } = spec.origin
      const where = { name, layer, ...(file === undefined ? {} : { file }) }
      const resolved = await resolveServer(server, where, context.surroundings, context.resolve)
      const { eras, leftovers, grace, maxLineBytes, tap, onProcess, client } = context
      return context.connect(resolved, {
        name,
        env: context.surroundings.env,
        eras,
        leftovers,
        grace,
        maxLineBytes,
        tap,
        onProcess,
        client,
        ...hooks,
      })
    },
  }
}

export function setupBuiltin({ name, description, start }: BuiltinServer, context: HubContext): ServerSetup {
  return {
    name,
    description,
    limits: defaultLimits,
    toolExists: () => true,
    emit: context.emit,
    open: (hooks) => openBuiltin(name, start, { name, tap: context.tap, ...hooks }),
  }
}

/** Its failures are told like those of any other server. */
async function openBuiltin(
  name: string,
  start: BuiltinServer['start'],
  options: LifeHooks & { readonly name: string; readonly tap: Tap | undefined },
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
