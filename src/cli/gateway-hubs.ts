import { clientVariable } from '../config/self.ts'
import type { Config } from '../config/types.ts'
import { steadyHub, type Reached, type SteadyHub } from '../daemon/steady-hub.ts'
import type { Hub } from '../hub/api.ts'
import type { OpenedHub } from '../hub/hub.ts'
import type { CommandContext } from './command.ts'
import { cannotBeHad } from '../daemon/dial-daemon.ts'
import { dialDaemon, wantsDaemon } from './daemon-hub.ts'

export interface GatewayHubs extends AsyncDisposable {
  /** The hub of one caller: opened when first used, and again when it was lost. */
  readonly hubOf: (caller: string) => Hub
  /** Takes a new config. Servers whose entry is the same go on as they are, and so does what is under way. */
  readonly reload: (config: Config) => Promise<void>
  /** Gives up the hub of a caller who may not come any more. */
  readonly end: (caller: string) => Promise<void>
}

interface HubsSetup {
  /** Whether the servers run in this process instead of the daemon's. */
  readonly isOwn: boolean
  readonly note: (text: string) => void
  readonly onReopened: () => void
}

/** Through the daemon each caller has a view of its own, so that what one keeps to itself is not shared; servers of our own are one set for all. */
export function openGatewayHubs(context: CommandContext, { isOwn, note, onReopened }: HubsSetup): GatewayHubs {
  const { io, flags } = context
  const isWarm = !isOwn && wantsDaemon(io, flags)
  const hubs = new Map<string, SteadyHub>()
  // The signal of the command ends the serving; a hub has to outlive it for the last answers.
  const never = new AbortController().signal
  let local: Promise<OpenedHub> | undefined

  return {
    hubOf(caller) {
      const name = isWarm ? caller : ''
      const known = hubs.get(name)
      if (known !== undefined) return known
      const hub = steadyHub({ open: () => open(caller), onReopened, note })
      hubs.set(name, hub)
      return hub
    },
    async reload(config) {
      // A view of the daemon is made anew: the daemon reads the config of its caller when it comes.
      if (isWarm) await Promise.all([...hubs.values()].map((hub) => hub.replace()))
      else await (await local)?.reload(config)
    },
    async end(caller) {
      // Servers of our own are there for the other callers too.
      const own = isWarm && local === undefined ? hubs.get(caller) : undefined
      if (own === undefined) return
      hubs.delete(caller)
      await own[Symbol.asyncDispose]()
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...hubs.values()].map((hub) => hub[Symbol.asyncDispose]()))
    },
  }

  async function open(caller: string): Promise<Reached> {
    if (!isWarm) return { hub: await openLocal() }
    try {
      const hub = await dialDaemon({ io, flags, signal: never, client: clientOf(caller) })
      return { hub, lost: hub.closed }
    } catch (error) {
      if (!cannotBeHad(error)) throw error
      note(`No daemon can be had, so the servers run here: ${error.message}`)
      return { hub: await openLocal() }
    }
  }

  function openLocal(): Promise<OpenedHub> {
    return (local ??= openLocalOnce())
  }

  async function openLocalOnce(): Promise<OpenedHub> {
    const { openLocalHub } = await import('./local-hub.ts')
    return openLocalHub(await context.loadConfig(), { io, flags, signal: never, client: 'gateway' })
  }

  /** Servers that are one client's own are that of this process and this caller. */
  function clientOf(caller: string): string {
    const client = io.env[clientVariable] ?? 'gateway'
    return `${client}-${process.pid}${caller === 'local' ? '' : `-${caller}`}`
  }
}
