// Mixed load and kills, in this process and through a daemon, for `--minutes N` (30). Says how memory and processes went, and
// ends with 1 unless both stayed flat, every answer was right, and nothing was left running.
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { processesWith } from '../e2e/cli.ts'
import { fixture } from '../fixtures/fixture.ts'
import { mb } from './burden.ts'
import { eventually, span } from './observe.ts'
import { work, type Tally } from './soak-load.ts'
import { aDaemon, aRemoteServer, thisProcess, type Site } from './soak-sites.ts'

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '30' } } })
const lastsMs = Number(values.minutes) * 60_000
if (!(lastsMs > 0)) throw new Error('--minutes wants a number above 0')
const workersPerSite = 4
/** Each server dies about three times a minute: less often than what is given up on. */
const killEveryMs = 5000
const marker = randomUUID()
const startedAt = performance.now()
const isOver = () => performance.now() - startedAt > lastsMs

const web = await aRemoteServer()
const servers = {
  modern: fixture('modern', { args: [marker] }),
  plain: fixture('echo', { args: [marker] }),
  twins: { ...fixture('echo', { args: [marker] }), replicas: 2 },
  web: { url: web.url },
}
const names = Object.keys(servers)
const sites: readonly Site[] = [await thisProcess(servers), await aDaemon(servers)]
const held = new Map<Site, number[]>(sites.map((site) => [site, []]))
const processes: number[] = []
let kills = 0

const [tallies] = await Promise.all([
  Promise.all(
    sites.map((site) => Promise.all(Array.from({ length: workersPerSite }, () => work(site, names, isOver)))),
  ),
  killNowAndThen(),
  takeSamples(),
])
const atRest = await settled()
await Promise.all(sites.map((site) => site[Symbol.asyncDispose]()))
await web[Symbol.asyncDispose]()
await eventually('all servers to be gone', () => processesWith(marker).length === 0)

report()

/** Kills one server of each site after the other; a remote one forgets its sessions instead. */
async function killNowAndThen(): Promise<void> {
  for (let round = 0; !isOver(); round++) {
    await wait(killEveryMs)
    const victim = names[round % names.length]
    if (victim === 'web') web.forgetSessions()
    for (const site of sites) {
      await using hub = await site.enter()
      const state = (await hub.servers()).find(({ name }) => name === victim)?.state
      if (state?.kind === 'ready' && state.pid !== undefined) process.kill(state.pid, 'SIGKILL')
    }
    kills += sites.length
  }
}

async function takeSamples(): Promise<void> {
  while (!isOver()) {
    await wait(1000)
    for (const site of sites) held.get(site)?.push(await site.heldBytes())
    processes.push(processesWith(marker).length)
  }
}

/** Each site runs one plain, one modern and at most two twins; what was killed last is back soon. */
async function settled(): Promise<number> {
  const most = sites.length * 4
  await eventually('the servers to be as many as they should', () => processesWith(marker).length <= most)
  return processesWith(marker).length
}

function report(): void {
  console.log(`${span(lastsMs)}, ${workersPerSite} workers at each site, ${kills} kills and lost sessions`)
  const growths = sites.map((site, index) => {
    const [early, late] = quarters(held.get(site) ?? [])
    console.log(`${site.name}: ${describe(tallies[index] ?? [])}; holds ${mb(early)} early on, ${mb(late)} at the end`)
    return { early, late }
  })
  console.log(`processes: at most ${Math.max(...processes)}, ${atRest} at rest, 0 after the end`)
  const isFlat = growths.every(({ early, late }) => late <= early * 1.2 + 16e6)
  if (!isFlat) console.log('Memory is NOT flat: more than a fifth and 16 MB above what it was early on.')
  const isTidy = Math.max(...processes) <= sites.length * 5
  if (!isTidy) console.log('There were more processes than servers.')
  process.exitCode = isFlat && isTidy ? 0 : 1
}

/** The medians of the second and of the last quarter: the first one is for warming up. */
function quarters(samples: readonly number[]): readonly [number, number] {
  const quarter = Math.floor(samples.length / 4)
  return [median(samples.slice(quarter, 2 * quarter)), median(samples.slice(-quarter))]
}

function median(samples: readonly number[]): number {
  return samples.toSorted((a, b) => a - b)[Math.floor(samples.length / 2)] ?? 0
}

function describe(tallies: readonly Tally[]): string {
  const sum: Tally = new Map()
  for (const tally of tallies) for (const [what, count] of tally) sum.set(what, (sum.get(what) ?? 0) + count)
  return [...sum].map(([what, count]) => `${count} ${what}`).join(', ')
}
