import { places } from '../../files/places.ts'
import type { ServerHost } from '../wire/connect.ts'
import { eras } from '../wire/eras.ts'
import { leftovers } from '../wire/leftovers.ts'
import type { RemoteWatch } from '../wire/watch-remote.ts'
import type { GracePeriods, ServerProcess } from '../wire/server-process.ts'

export interface HostOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  /** How long a server gets to end by itself. */
  readonly grace?: GracePeriods | undefined
  /** The longest message a stdio server may send. */
  readonly maxLineBytes?: number | undefined
  /** How remote connections are watched. */
  readonly remoteWatch?: RemoteWatch | undefined
}

/** This process as one that runs servers. Disposing of it ends what still runs; so does the end of the process, however it comes. */
export interface OpenedHost extends ServerHost, AsyncDisposable {
  /** How many servers of a killed process were ended. */
  readonly swept: number
}

const defaultGrace: GracePeriods = { beforeTermMs: 1500, beforeKillMs: 1500 }
const defaultMaxLineBytes = 128 * 2 ** 20

export function openServerHost({
  env,
  grace = defaultGrace,
  maxLineBytes = defaultMaxLineBytes,
  remoteWatch,
}: HostOptions): OpenedHost {
  const { cache, runtime } = places(env)
  const processes = new Set<ServerProcess>()
  const notes = leftovers(`${runtime}/servers`)
  // The last resort when this process ends without closing anything: an uncaught error, a second Ctrl-C.
  const lastResort = onExit(() => processes.forEach((child) => child.kill()))
  return {
    eras: eras(`${cache}/eras.json`, Date.now),
    leftovers: notes,
    grace,
    maxLineBytes,
    remoteWatch,
    onProcess(child) {
      processes.add(child)
      void child.exited.then(() => processes.delete(child))
    },
    swept: notes.sweep(),
    async [Symbol.asyncDispose]() {
      await Promise.all([...processes].map((child) => child.stop(grace)))
      lastResort[Symbol.dispose]()
      notes.forget()
    },
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
