import { type InputQuestion, inputsFile, openInputs } from '../config/inputs.ts'
import type { Config } from '../config/types.ts'
import { builtinServers } from '../daemon/builtins.ts'
import { places } from '../files/places.ts'
import { callLog } from '../hub/call-log.ts'
import { openHub, type OpenedHub } from '../hub/hub.ts'
import { askInput } from './ask-input.ts'
import type { CommandContext } from './command.ts'

interface LocalHubSetup extends Pick<CommandContext, 'io' | 'flags' | 'signal'> {
  readonly client?: string
  /** Asks for the value of an `${input:…}`; on the terminal when absent, where there is one. */
  readonly onInput?: ((question: InputQuestion) => Promise<string>) | undefined
}

/** A hub whose servers run in this process and end with it. */
export function openLocalHub(
  config: Config,
  { io, flags, signal, client = 'cli', onInput }: LocalHubSetup,
): Promise<OpenedHub> {
  const ask = onInput ?? (flags.mayAsk ? askInput({ io, signal }) : undefined)
  const inputs = openInputs({
    file: inputsFile(io.env),
    declarations: config.inputs ?? [],
    ...(ask === undefined ? {} : { ask }),
  })
  const tap = flags.debug
    ? (server: string, direction: 'sent' | 'received', message: unknown) =>
        io.err(`${server} ${direction === 'sent' ? '→' : '←'} ${JSON.stringify(message)}\n`)
    : undefined
  const isAdhoc = flags.stdio !== undefined || flags.url !== undefined
  return openHub(config, {
    // A server given on the command line stands alone.
    builtins: isAdhoc ? [] : builtinServers(config, flags.trustProject),
    sandbox: async () => (await import('../sandbox/sandbox.ts')).createSandbox({ spareMs: 0 }),
    grace: graceOfOneCommand,
    callLog: callLog(`${places(io.env).state}/calls.jsonl`, client),
    resolve: { inputs },
    // Who can answer says so in the call. Nobody else will come to this process.
    onAsk: async (ask) => {
      const { answerByFlags } = await import('./answer-ask.ts')
      return answerByFlags(io, { ask, answers: new Map(), used: new Set() })
    },
    ...(tap === undefined ? {} : { tap }),
  })
}

/**
 * All calls of a command have been answered when it ends, so its servers are idle: they get a moment to end by themselves, and
 * then the usual signals. The answer has been printed before.
 */
const graceOfOneCommand = { beforeTermMs: 25, beforeKillMs: 1500 }
