import assert from 'node:assert/strict'
import { CapstanError } from '../../src/errors.ts'
import type { Hub } from '../../src/hub/api.ts'
import { textOf } from '../hub/makers.ts'
import type { Site } from './soak-sites.ts'

/** How often each thing happened: `ok`, or the code of a failure. */
export type Tally = Map<string, number>

/** What a kill or a restart may cost whoever is in the middle of a call. Anything else is a defect. */
const fairLosses = new Set(['outcome_unknown', 'transport_failed', 'start_failed', 'connection_refused', 'cancelled'])

/** One user of a site: does one thing after the other until it is over, with a hub of its own for every 50 of them. */
export async function work(site: Site, servers: readonly string[], isOver: () => boolean): Promise<Tally> {
  const tally: Tally = new Map()
  while (!isOver()) {
    await using hub = await site.enter()
    for (let round = 0; round < 50 && !isOver(); round++) {
      const outcome = await outcomeOf(doSomething(hub, pick(servers)))
      tally.set(outcome, (tally.get(outcome) ?? 0) + 1)
    }
  }
  return tally
}

async function outcomeOf(doing: Promise<void>): Promise<string> {
  try {
    await doing
    return 'ok'
  } catch (error) {
    if (error instanceof CapstanError && fairLosses.has(error.code)) return error.code
    throw error
  }
}

async function doSomething(hub: Hub, server: string): Promise<void> {
  const chance = Math.random()
  if (chance < 0.7) await sayAndHear(hub, server)
  else if (chance < 0.8) await waitForProgress(hub, server)
  else if (chance < 0.9) await giveUp(hub, server)
  else await look(hub, server)
}

/** An answer that belongs to another call would be found here. */
async function sayAndHear(hub: Hub, server: string): Promise<void> {
  const message = `${Math.random()} `.repeat(Math.random() < 0.1 ? 5000 : 3)
  assert.equal(textOf(await hub.call({ server, tool: 'echo' }, { message })), message)
}

async function waitForProgress(hub: Hub, server: string): Promise<void> {
  await hub.call({ server, tool: 'slow' }, { ms: 60, steps: 3 }, { onProgress: () => {} })
}

async function giveUp(hub: Hub, server: string): Promise<void> {
  const signal = AbortSignal.timeout(20)
  const failure: unknown = await hub
    .call({ server, tool: 'slow' }, { ms: 5000, steps: 50 }, { signal })
    .catch((error: unknown) => error)
  const isGivenUp = failure instanceof CapstanError && failure.code === 'timed_out'
  if (!isGivenUp) throw failure
}

async function look(hub: Hub, server: string): Promise<void> {
  const { servers } = await hub.catalogue({ servers: [server], kinds: ['tools'], fresh: true })
  assert.equal(servers.length, 1)
}

function pick<Item>(items: readonly Item[]): Item {
  const item = items[Math.floor(Math.random() * items.length)]
  assert.ok(item !== undefined)
  return item
}
