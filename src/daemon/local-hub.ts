import { inputsFile, openInputs } from '../config/inputs.ts'
import { loadTrustedConfig } from '../config/load-trusted.ts'
import { places } from '../files/places.ts'
import { callLog } from '../hub/call-log.ts'
import { openHub } from '../hub/hub.ts'
import { builtinServers } from './builtins.ts'
import type { ReachedHub, SettledReach } from './reached-hub.ts'

/** The same hub as the daemon's, in this process: its servers end with it. */
export async function openLocalHub(options: SettledReach): Promise<ReachedHub> {
  const { client, env, cwd, configFiles, clients, trustProject = false, signal, onInput } = options
  const config = await loadTrustedConfig({
    env,
    cwd,
    trustProject,
    ...(configFiles === undefined ? {} : { configFiles }),
    ...(clients === undefined ? {} : { clients }),
  })
  const inputs = openInputs({
    file: inputsFile(env),
    declarations: config.inputs ?? [],
    ...(onInput === undefined ? {} : { ask: onInput }),
  })
  const hub = await openHub(config, {
    builtins: builtinServers(config, trustProject),
    sandbox: async () => (await import('../sandbox/sandbox.ts')).createSandbox({ spareMs: 0 }),
    callLog: callLog(`${places(env).state}/calls.jsonl`, client),
    resolve: { inputs },
    // Who closes it waits for that, with a person in front: the servers are idle, and get a moment before the usual signals.
    grace: { beforeTermMs: 100, beforeKillMs: 1500 },
    ...(signal === undefined ? {} : { signal }),
  })
  return {
    ...hub,
    where: 'process',
    warnings: config.warnings,
    // It goes only when it is closed.
    closed: new Promise(() => {}),
  }
}
