import type { InputQuestion } from '../config/inputs.ts'
import type { Config } from '../config/types.ts'
import type { WaitingAsk } from '../daemon/ask-inbox.ts'
import type { DialledHub } from '../daemon/dial.ts'
import type { Hub, ServerStatus } from '../hub/api.ts'
import type { CatalogueLook, CommandContext, GlobalFlags, Io, Needs, CommandHub } from './command.ts'
import { cannotBeHad } from '../daemon/dial-daemon.ts'
import { dialDaemon, wantsDaemon } from './daemon-hub.ts'
import type { Catalogued } from './disk-hub.ts'
import { plainText } from '../policy/plain-text.ts'
import { askLine } from './render/ask.ts'

interface ContextSetup {
  readonly io: Io
  readonly flags: GlobalFlags
  readonly interrupted: AbortSignal
  /** Asks for the value of an `${input:…}` where the terminal is not free to be asked on. */
  readonly onInput?: (question: InputQuestion) => Promise<string>
}

/** What a command gets. Disposing it closes the hub, if one was opened. What is not needed on the warm way is loaded when it is. */
export function openContext({ io, flags, interrupted, ...setup }: ContextSetup): CommandContext & AsyncDisposable {
  const signal =
    flags.timeoutSeconds === undefined
      ? interrupted
      : AbortSignal.any([interrupted, AbortSignal.timeout(Math.ceil(flags.timeoutSeconds * 1000))])
  const onInput = setup.onInput ?? (flags.mayAsk ? askOnTerminal : undefined)
  let config: Promise<Config> | undefined
  let hub: Promise<CommandHub> | undefined

  return {
    io,
    flags,
    signal,
    loadConfig,
    openHub: (needs) => (hub ??= open(needs)),
    openCatalogue,
    async [Symbol.asyncDispose]() {
      const opened = await hub?.catch(() => undefined)
      await opened?.[Symbol.asyncDispose]()
    },
  }

  async function loadConfig(): Promise<Config> {
    const { loadCommandConfig } = await import('./command-config.ts')
    return (config ??= loadCommandConfig(io, flags))
  }

  async function openCatalogue(needs: Needs, { kinds, fresh }: CatalogueLook): Promise<Catalogued> {
    const isAdhoc = flags.stdio !== undefined || flags.url !== undefined
    if (fresh || isAdhoc || flags.debug) return (hub ??= open(needs))
    const [{ diskHub }, loaded] = await Promise.all([import('./disk-hub.ts'), loadConfig()])
    const seen = await diskHub(loaded, { needs, kinds, trustProject: flags.trustProject })
    if (seen !== undefined) sayWarnings(loaded.warnings)
    return seen ?? (hub ??= open(needs))
  }

  async function open(needs: Needs | undefined): Promise<CommandHub> {
    const warm = wantsDaemon(io, flags) ? await openWarm(needs) : undefined
    return warm ?? openLocal(needs)
  }

  /** The hub that is kept warm; undefined where none can be had, which is no reason to fail. */
  async function openWarm(needs: Needs | undefined): Promise<DialledHub | undefined> {
    const dial = () => dialDaemon({ io, flags, signal, onWaiting, ...(onInput === undefined ? {} : { onInput }) })
    try {
      const dialled = await dial()
      sayWarnings(dialled.welcome.warnings)
      if (!flags.mayAsk || (await waitingAt(dialled, needs)).length === 0) return dialled
      await dialled[Symbol.asyncDispose]()
      await askForTrust(needs)
      return await dial()
    } catch (error) {
      if (!cannotBeHad(error)) throw error
      return undefined
    }
  }

  async function openLocal(needs: Needs | undefined): Promise<Hub> {
    const { openLocalHub } = await import('./local-hub.ts')
    sayWarnings((await loadConfig()).warnings)
    if (flags.mayAsk) await askForTrust(needs)
    return openLocalHub(await loadConfig(), { io, flags, signal, onInput })
  }

  async function askForTrust(needs: Needs | undefined): Promise<void> {
    const { servers } = await loadConfig()
    const names = namesNeeded(
      needs,
      servers.map((server) => server.name),
    )
    const { askAndRecord, isWaiting } = await import('./ask-and-record.ts')
    const waiting = servers.filter((server) => isWaiting(server) && names.includes(server.name))
    if (waiting.length === 0) return
    await askAndRecord({ io, signal }, waiting)
    config = undefined
  }

  async function askOnTerminal(question: InputQuestion): Promise<string> {
    const { askInput } = await import('./ask-input.ts')
    return askInput({ io, signal })(question)
  }

  function onWaiting({ ask, id }: WaitingAsk): void {
    io.err(`capstan: ${askLine(ask)} It waits as ${id} for your answer. In another terminal, run: capstan review\n`)
  }

  function sayWarnings(warnings: readonly string[]): void {
    for (const warning of warnings) io.err(plainText(`warning: ${warning}\n`))
  }
}

/** Servers among the needed ones that a person has not decided on yet. */
async function waitingAt(hub: DialledHub, needs: Needs | undefined): Promise<readonly string[]> {
  const statuses = await hub.servers()
  const names = namesNeeded(
    needs,
    statuses.map((status) => status.name),
  )
  return statuses.filter((status) => names.includes(status.name) && isWaitingForTrust(status)).map(({ name }) => name)
}

function isWaitingForTrust({ state, leftOut = [] }: ServerStatus): boolean {
  if (state.kind === 'untrusted') return state.change !== 'refused'
  return leftOut.some(({ reason }) => reason === 'new' || reason === 'changed')
}

function namesNeeded(needs: Needs | undefined, all: readonly string[]): readonly string[] {
  return needs === undefined ? all : needs(all)
}
