import { decideTrust, layeredConfig, openHub, trustRequests } from '../../index.ts'
import type { Config, LayeredOptions, OpenedHub, OpenHubOptions, TrustRequest } from '../../index.ts'

/** Servers as in an `mcp.json`: from the person who uses the host, and from the project they work in. */
export interface OptionLevels {
  readonly userOptions?: LayeredOptions['user']
  /** `file` is where they came from: approvals are kept for it. An entry replaces the user's of the same name. */
  readonly projectOptions?: LayeredOptions['project']
  /** Asks which of the project's servers may be started. Without it those that were not approved before stay off. */
  readonly askTrust?: AskTrust
  /** The environment of the process when absent. */
  readonly env?: LayeredOptions['env']
  /** The project's folder; the current one when absent. */
  readonly cwd?: LayeredOptions['cwd']
  /** Anything else that a hub can be opened with. */
  readonly hubOptions?: Omit<OpenHubOptions, 'onAsk'>
}

export interface TrustQuestion {
  /** The file that names the servers. */
  readonly file: string
  /** `lines` say what each would run; of one that was decided on before and has changed, only the difference. */
  readonly servers: readonly {
    readonly name: string
    readonly change: 'new' | 'changed'
    readonly lines: readonly string[]
  }[]
}

/** By name: start it from now on, start it this time, never start it as it is. A server that is left out is asked about again. */
export type TrustAnswer = Readonly<Record<string, 'always' | 'once' | 'never'>>

export type AskTrust = (
  question: TrustQuestion,
  options: { readonly signal: AbortSignal },
) => TrustAnswer | Promise<TrustAnswer>

export interface OpenedLevels {
  readonly hub: OpenedHub
  readonly config: Config
  /** Asks about the project's servers that wait, and starts what was approved. The config from then on; undefined when nothing was asked. */
  readonly settleTrust: (options: { readonly signal: AbortSignal }) => Promise<Config | undefined>
}

/** Opens a hub over the two levels. Servers of the project that nobody has approved are in it, but never start. */
export async function openLevels(levels: OptionLevels): Promise<OpenedLevels> {
  const { userOptions: user, projectOptions: project, env, cwd, askTrust } = levels
  const config = await layeredConfig({ user, project, env, cwd })
  const hub = await openHub(config, levels.hubOptions)
  return { hub, config, settleTrust }

  async function settleTrust({ signal }: { readonly signal: AbortSignal }): Promise<Config | undefined> {
    const waiting = await trustRequests(config)
    const [first] = waiting
    if (askTrust === undefined || first === undefined) return undefined
    const servers = waiting.map(({ name, lines }) => ({ name, change: changeOf(config, name), lines }))
    const answer = await askTrust({ file: first.projectFile, servers }, { signal })
    signal.throwIfAborted()
    const said = (word: TrustAnswer[string]): readonly TrustRequest[] =>
      waiting.filter(({ name }) => Object.hasOwn(answer, name) && answer[name] === word)
    await decideTrust(said('always'), 'trusted', config.surroundings.env)
    await decideTrust(said('never'), 'refused', config.surroundings.env)
    const trustedOnce = said('once').map(({ name }) => name)
    const next = await layeredConfig({ user, project, env, cwd, trustedOnce })
    await hub.reload(next)
    return next
  }
}

function changeOf({ servers }: Config, name: string): 'new' | 'changed' {
  const standing = servers.find((server) => server.name === name)?.standing
  return standing?.kind === 'untrusted' && standing.change === 'changed' ? 'changed' : 'new'
}
