import { deaths } from './deaths.ts'
import type { Maker } from '../hub/makers.ts'
import type { Fault } from './fault.ts'
import { eventually } from './observe.ts'
import { remotes } from './remotes.ts'
import { silences } from './silences.ts'
import { streams } from './streams.ts'
import { traffic } from './traffic.ts'

/** The suite: every fault with its promise, by number. */
export const faults: readonly Fault[] = [...deaths, ...silences, ...streams, ...remotes, ...traffic].toSorted(
  (a, b) => a.id - b.id,
)

/** Makes a fault happen. Besides its own promise, one holds for all of them: no process is left. */
export async function runFault({ run }: Fault, open: Maker): Promise<string> {
  const seen = await run(open)
  await eventually('all processes to be gone', () => !process.getActiveResourcesInfo().includes('ProcessWrap'))
  return seen
}
