import { inputsFile, openInputs, type InputQuestion } from '../config/inputs.ts'
import { loadTrustedConfig } from '../config/load-trusted.ts'
import type { Config } from '../config/types.ts'
import { places } from '../files/places.ts'
import { callLog } from '../hub/call-log.ts'
import { openHub, type OpenedHub, type OpenHubOptions } from '../hub/hub.ts'
import { builtinServers } from './builtins.ts'
import type { Caller } from './protocol.ts'

export interface CallerOptions extends OpenHubOptions {
  /** Asks the caller for the value of an `${input:id}`. */
  readonly onInput?: ((question: InputQuestion) => Promise<string>) | undefined
}

/** A hub with the caller's own config, environment and approvals, and a line in the caller's log for each call. */
export async function openForCaller(
  { env, cwd, configFiles, clients, servers, trustProject = false, client }: Caller,
  { onInput, ...options }: CallerOptions,
): Promise<{ readonly hub: OpenedHub; readonly config: Config }> {
  const config = await loadTrustedConfig({
    env,
    cwd,
    trustProject,
    ...(configFiles === undefined ? {} : { configFiles }),
    ...(clients === undefined ? {} : { clients }),
    ...(servers === undefined ? {} : { servers }),
  })
  const inputs = openInputs({
    file: inputsFile(env),
    declarations: config.inputs ?? [],
    ...(onInput === undefined ? {} : { ask: onInput }),
  })
  const hub = await openHub(config, {
    builtins: builtinServers(config, trustProject),
    callLog: callLog(`${places(env).state}/calls.jsonl`, client),
    resolve: { inputs },
    ...options,
  })
  return { hub, config }
}
