import { join } from 'node:path'
import type { Config, ConfiguredServer } from '../config/types.ts'
import { CapstanError } from '../errors.ts'
import { places } from '../files/places.ts'
import type { Hub } from '../hub/api.ts'
import type { CommandContext, GlobalFlags, Io } from './command.ts'

interface ContextSetup {
  readonly io: Io
  readonly flags: GlobalFlags
  readonly interrupted: AbortSignal
}

/** What a command gets. Disposing it closes the hub, if one was opened. */
export function openContext({ io, flags, interrupted }: ContextSetup): CommandContext & AsyncDisposable {
  const timeouts = flags.timeoutSeconds === undefined ? [] : [AbortSignal.timeout(flags.timeoutSeconds * 1000)]
  const signal = AbortSignal.any([interrupted, ...timeouts])
  let loading: Promise<Config> | undefined
  let hub: Promise<Hub> | undefined

  return {
    io,
    flags,
    signal,
    loadConfig: () => (loading ??= load(io, flags)),
    openHub: (needs) => (hub ??= open(needs)),
    async [Symbol.asyncDispose]() {
      const opened = await hub?.catch(() => undefined)
      await opened?.[Symbol.asyncDispose]()
    },
  }

  async function open(needs: readonly string[] | undefined): Promise<Hub> {
    const [{ openHub }, config] = await Promise.all([import('../hub/hub.ts'), (loading ??= load(io, flags))])
    const waiting = config.servers.filter((server) => isWaiting(server) && (needs?.includes(server.name) ?? true))
    if (waiting.length > 0 && flags.mayAsk) {
      await askAndRecord(waiting, io)
      loading = load(io, flags)
    }
    return openHub(await loading ?? config, hubOptions(io, flags))
  }
}
