// npm run bench -- gateway [--peers] [--quick]: one server over stdio, reached directly, through `capstan serve --http` and through other gateways.
// Needs /proc, so Linux. On a busy machine only CPU per call and memory can be quoted.
import { cpus, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { messageOf } from '../../src/errors.ts'
import { openGround } from '../ground.ts'
import { compare, median, type Samples } from '../measure.ts'
import { installPeers, type PeerPrograms } from '../peers/install.ts'
import { stopSignal, unless } from '../stop-signal.ts'
import { renderTable } from '../table.ts'
import { crowdOf, runScene, type Crowd, type Scene } from './load.ts'
import { recoveryOf, type Recovery } from './recovery.ts'
import { direct, figureTable, ours, targetRows } from './report.ts'
import { openWays, type Way } from './ways.ts'

const { values } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, peers: { type: 'boolean', default: false } },
})
const rounds = values.quick ? 3 : 7

const scenes: readonly Scene[] = [
  { clients: 1, bytes: 10_000, calls: 300 },
  { clients: 16, bytes: 10_000, calls: 640 },
  { clients: 64, bytes: 10_000, calls: 960 },
  { clients: 1, bytes: 1_000_000, calls: 20 },
  { clients: 16, bytes: 1_000_000, calls: 48 },
  { clients: 64, bytes: 1_000_000, calls: 64 },
]

const peers: PeerPrograms = values.peers ? await installPeers() : new Map()
const signal = stopSignal()
try {
  await using ground = openGround({ daemon: 'off' })
  await using opened = await openWays(peers, ground, signal)
  await unless(signal, measureScenes(opened.ways))
  await unless(signal, measureRecovery(opened.ways))
} catch (error) {
  if (!signal.aborted) throw error
  console.error(String(signal.reason))
  // What was being measured still waits for answers of gateways that are gone.
  process.exit(1)
}

async function measureScenes(ways: readonly Way[]): Promise<void> {
  using left = new DisposableStack()
  const crowds = ways.map((way) => left.use(crowdOf(way)))
  for (const scene of scenes) {
    const { clients, bytes } = scene
    const samples = await measureScene(crowds, scene)
    const title = `${clients} client${clients === 1 ? '' : 's'}, results of ${bytes / 1000} KB`
    console.log(`\n${title} (${machine()})\n\n${figureTable(samples)}`)
    const rows = targetRows(samples, title)
    if (rows.length > 0) console.log(`\n${renderTable(rows)}`)
  }
}

function measureScene(crowds: readonly Crowd[], scene: Scene): Promise<Samples> {
  const contestants = crowds.map((crowd) => ({ name: crowd.way.name, run: untilItFails(crowd, scene) }))
  return compare(contestants, rounds)
}

/** A way from which an answer does not come is told of and has no figures in this scene; the others go on. */
function untilItFails(crowd: Crowd, scene: Scene): () => Promise<Readonly<Record<string, number>>> {
  let hasFailed = false
  return async () => {
    if (hasFailed) return {}
    try {
      return await runScene(crowd, scene)
    } catch (error) {
      signal.throwIfAborted()
      hasFailed = true
      console.error(`${crowd.way.name}, ${scene.clients} clients, ${scene.bytes} bytes: ${messageOf(error)}`)
      return {}
    }
  }
}

async function measureRecovery(ways: readonly Way[]): Promise<void> {
  console.log('\n| the server is killed | same client served again | a new client served |\n| --- | --- | --- |')
  for (const way of ways.filter(({ name }) => name !== direct)) {
    const tries: Recovery[] = []
    // Who never comes back once needs no second try; with ours one lucky time would prove little.
    for (let round = 0; round < (way.name === ours ? 3 : 1); round++) tries.push(await recoveryOf(way))
    const cells = [tries.map(({ sameClient }) => sameClient), tries.map(({ newClient }) => newClient)].map(shown)
    console.log(`| ${[way.name, ...cells].join(' | ')} |`)
  }
}

function shown(times: readonly (number | undefined)[]): string {
  const known = times.filter((time) => time !== undefined)
  return known.length < times.length ? 'not within 20 s' : `after ${(median(known) / 1000).toFixed(1)} s`
}

function machine(): string {
  const load = loadavg().map((value) => value.toFixed(1))
  return `${new Date().toISOString()}, Node ${process.version}, ${cpus().length} cores, load ${load.join(' ')}`
}
