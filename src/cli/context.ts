import type { Adhoc } from '../config/adhoc.ts'
import { loadConfig as readConfig } from '../config/load.ts'
import { readTrust, standingOf, trustFile } from '../config/trust.ts'
import type { AnswerInput } from '../config/inputs.ts'
import type { Config, ConfiguredServer } from '../config/types.ts'
import { CapstanError } from '../errors.ts'
import type { Hub } from '../hub/api.ts'
import { openHub } from '../hub/hub.ts'
import type { CommandContext, GlobalFlags, Io } from './command.ts'

interface ContextSetup {
  readonly io: Io
  readonly flags: GlobalFlags
  readonly interrupted: AbortSignal
}

/** What a command gets. Disposing it closes the hub, if one was opened. */
export function openContext({ io, flags, interrupted }: ContextSetup): CommandContext & AsyncDisposable {
  const signal =
    flags.timeoutSeconds === undefined
      ? interrupted
      : AbortSignal.any([interrupted, AbortSignal.timeout(Math.ceil(flags.timeoutSeconds * 1000))])
  let config: Promise<Config> | undefined
  let hub: Promise<Hub> | undefined

  return {
    io,
    flags,
    signal,
    loadConfig,
    openHub: (needs) => (hub ??= open(needs)),
    async [Symbol.asyncDispose]() {
      const opened = await hub?.catch(() => undefined)
      await opened?.[Symbol.asyncDispose]()
    },
  }

  function loadConfig(): Promise<Config> {
    return (config ??= load(io, flags))
  }

  async function open(needs: readonly string[] | undefined): Promise<Hub> {
    const first = await loadConfig()
    for (const warning of first.warnings) io.err(`warning: ${warning}\n`)
    const waiting = first.servers.filter((server) => isWaiting(server) && (needs?.includes(server.name) ?? true))
    if (waiting.length > 0 && flags.mayAsk) {
      const { askAndRecord } = await import('./ask-and-record.ts')
      await askAndRecord({ io, signal }, waiting)
      config = load(io, flags)
    }
    return openHub(await loadConfig(), {
      grace: graceOfOneCommand,
      resolve: flags.mayAsk ? { inputs: await askingInputs({ io, signal }, await loadConfig()) } : {},
      ...(flags.debug
        ? {
            tap: (server, direction, message) =>
              io.err(`${server} ${direction === 'sent' ? '→' : '←'} ${JSON.stringify(message)}\n`),
          }
        : {}),
    })
  }
}

/**
 * All calls of a command have been answered when it ends, so its servers are idle: they get a moment to end by themselves, and
 * then the usual signals. The answer has been printed before.
 */
const graceOfOneCommand = { beforeTermMs: 25, beforeKillMs: 1500 }

/** Project servers that a person has not decided on yet. One that was refused is asked about only by `review`. */
function isWaiting({ standing }: ConfiguredServer): boolean {
  return standing.kind === 'untrusted' && standing.change !== 'refused'
}

async function load(io: Io, flags: GlobalFlags): Promise<Config> {
  const store = await readTrust(trustFile(io.env))
  const config = await readConfig({
    env: io.env,
    cwd: io.cwd,
    ...(flags.config.length === 0 ? {} : { configFiles: flags.config }),
    ...adhocOf(flags),
    trust: (projectFile, name, entry) => (flags.trustProject ? 'trusted' : standingOf(store, projectFile, name, entry)),
  })
  return { ...config, warnings: [...store.warnings, ...config.warnings] }
}

function adhocOf({ stdio, url, header }: GlobalFlags): { readonly adhoc?: Adhoc } {
  if (stdio === undefined && url === undefined && header.length === 0) return {}
  const headers = Object.fromEntries(header.map(splitHeader))
  return { adhoc: { ...(stdio === undefined ? {} : { stdio }), ...(url === undefined ? {} : { url }), headers } }
}

/** `Name=value`, and `Name: value` as curl writes it. */
function splitHeader(text: string): readonly [string, string] {
  const [, name, value] = /^([^=:\s]+)\s*[=:]\s*(.*)$/.exec(text) ?? []
  if (name !== undefined && value !== undefined) return [name, value]
  throw new CapstanError('usage', `--header wants NAME=VALUE, not "${text}".`)
}

/** `${input:id}` asks the person, once; the answer is kept. */
async function askingInputs(
  { io, signal }: Pick<CommandContext, 'io' | 'signal'>,
  { inputs = [] }: Config,
): Promise<AnswerInput> {
  const [{ inputsFile, openInputs }, { ask }] = await Promise.all([import('../config/inputs.ts'), import('./ask.ts')])
  return openInputs({
    file: inputsFile(io.env),
    declarations: inputs,
    ask: ({ server, id, declaration }) =>
      ask(io, `${declaration?.description ?? `Value of "${id}"`} (server "${server}"):`, {
        hidden: declaration?.isSecret ?? true,
        signal,
        ...(declaration?.options === undefined ? {} : { choices: declaration.options }),
        ...(declaration?.default === undefined ? {} : { default: declaration.default }),
      }),
  })
}
