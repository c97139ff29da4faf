import { openForCaller } from './open-for-caller.ts'
import type { ReachedHub, SettledReach } from './reached-hub.ts'

/** The same hub as the daemon's, in this process: its servers end with it. */
export async function openLocalHub({ signal, onInput, ...caller }: SettledReach): Promise<ReachedHub> {
  const { hub, config } = await openForCaller(caller, {
    onInput,
    sandbox: async () => (await import('../sandbox/sandbox.ts')).createSandbox({ spareMs: 0 }),
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
