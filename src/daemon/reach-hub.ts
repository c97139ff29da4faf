import { cannotBeHad, dialOrStart, isDaemonWanted } from './dial-daemon.ts'
import { ownProgram } from './own-program.ts'
import type { ReachedHub, ReachOptions, SettledReach } from './reached-hub.ts'

/**
 * The person's hub, as the command line has it: the daemon's, which is started when none runs. Where no daemon is wanted or can be
 * had, the servers run in this process.
 */
export async function reachHub(options: ReachOptions): Promise<ReachedHub> {
  const env = options.env ?? process.env
  const cwd = options.cwd ?? process.cwd()
  const warm = isDaemonWanted(env) ? await reachDaemon({ ...options, env, cwd }) : undefined
  if (warm !== undefined) return warm
  const { openLocalHub } = await import('./local-hub.ts')
  return openLocalHub({ ...options, env, cwd })
}

async function reachDaemon(options: SettledReach): Promise<ReachedHub | undefined> {
  const { client, env, cwd, configFiles, clients, trustProject, signal, onInput, onWaiting } = options
  try {
    const hub = await dialOrStart({
      program: ownProgram(),
      caller: {
        client,
        env,
        cwd,
        ...(configFiles === undefined ? {} : { configFiles }),
        ...(clients === undefined ? {} : { clients }),
        ...(trustProject === undefined ? {} : { trustProject }),
      },
      ...(signal === undefined ? {} : { signal }),
      ...(onInput === undefined ? {} : { onInput }),
      ...(onWaiting === undefined ? {} : { onWaiting }),
    })
    return { ...hub, where: 'daemon', warnings: hub.welcome.warnings }
  } catch (error) {
    if (cannotBeHad(error)) return undefined
    throw error
  }
}
