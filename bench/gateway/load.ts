import type { RawClient } from './client.ts'
import type { Figure } from './report.ts'
import { costOf, type Way } from './ways.ts'

/** So many clients at once, each with one call under way at a time. */
export interface Scene {
  readonly clients: number
  readonly bytes: number
  /** All calls of all clients in one round. */
  readonly calls: number
}

/** The clients of one way, which stay connected from scene to scene. */
export interface Crowd extends Disposable {
  readonly way: Way
  readonly atLeast: (count: number) => Promise<readonly RawClient[]>
}

export function crowdOf(way: Way): Crowd {
  const clients: RawClient[] = []
  return {
    way,
    atLeast: async (count) => {
      while (clients.length < count) clients.push(await way.connect())
      return clients.slice(0, count)
    },
    [Symbol.dispose]: () => {
      for (const client of clients) client[Symbol.dispose]()
    },
  }
}

/** One round; every answer is checked. */
export async function runScene(crowd: Crowd, { clients, bytes, calls }: Scene): Promise<Record<Figure, number>> {
  const { way } = crowd
  const tool = way.tool('big')
  const times: number[] = []
  const all = await crowd.atLeast(clients)
  const before = costOf(way.pid)
  const startedAtMs = performance.now()
  let left = calls
  const work = async ({ call }: RawClient): Promise<void> => {
    while (left-- > 0) {
      const calledAtMs = performance.now()
      const { length } = await call(tool, { bytes })
      times.push(performance.now() - calledAtMs)
      if (length !== bytes) throw new Error(`${way.name} gave ${length} of ${bytes} characters`)
    }
  }
  await Promise.all(all.map(work))
  const seconds = (performance.now() - startedAtMs) / 1000
  const after = costOf(way.pid)
  times.sort((a, b) => a - b)
  return {
    p50: part(times, 0.5),
    p99: part(times, 0.99),
    perSecond: calls / seconds,
    cpuMs: (after.cpuMs - before.cpuMs) / calls,
    rssMB: after.rssMB,
  }
}

function part(sorted: readonly number[], share: number): number {
  return sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN
}
