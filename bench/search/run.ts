// node bench/search/run.ts [--fresh] [--tuning]: how well and how fast tools are found. While tuning, give --tuning: what
// the held-out half says must not steer the settings.
import { hash } from 'node:crypto'
import { parseArgs } from 'node:util'
import { makeToolSearch } from '../../src/hub/search/search.ts'
import { collectTools } from './collect.ts'
import { measureLatency, multiply } from './latency.ts'
import queriesJson from './queries.json' with { type: 'json' }
import { measureQuality, type LabelledQuery, type Quality } from './quality.ts'

const { values } = parseArgs({
  options: { fresh: { type: 'boolean', default: false }, tuning: { type: 'boolean', default: false } },
})
const tools = await collectTools({ fresh: values.fresh })
const known = new Set(tools.map((tool) => tool.id))
const queries = (queriesJson as readonly LabelledQuery[]).filter(({ expected }) => expected.some((id) => known.has(id)))
const servers = new Set(tools.map((tool) => tool.server)).size
console.log(`${tools.length} tools of ${servers} servers, ${queries.length} of ${queriesJson.length} queries usable\n`)

const search = makeToolSearch(tools)
const tuning = queries.filter((query) => !isHeldOut(query))
const heldOut = queries.filter(isHeldOut)
console.log('| queries | number | recall@1 | recall@5 | MRR@10 |\n| --- | --- | --- | --- | --- |')
const onTuning = report('tuning', tuning)
if (values.tuning) {
  console.log(`\nnot among the first five:\n${onTuning.missed.map((query) => `  ${query}`).join('\n')}`)
} else {
  report('held out', heldOut)
  const texts = queries.map(({ query }) => query)
  console.log('\n| tools | build | query median | p95 | slowest |\n| --- | --- | --- | --- | --- |')
  for (const wanted of [300, 3_000, 30_000]) {
    const { buildMs, medianMs, p95Ms, slowestMs } = measureLatency(multiply(tools, wanted), texts)
    const times = [buildMs, medianMs, p95Ms, slowestMs].map((ms) => `${ms.toFixed(2)} ms`)
    console.log(`| ${[wanted, ...times].join(' | ')} |`)
  }
}

/** Decided by the query's own text, so that a new query never moves another one to the other half. */
function isHeldOut({ query }: LabelledQuery): boolean {
  return Number.parseInt(hash('sha256', query).slice(0, 2), 16) % 2 === 1
}

function report(half: string, all: readonly LabelledQuery[]): Quality {
  const kinds = ['words', 'question', 'typo', 'synonym'] as const
  for (const kind of kinds) {
    printRow(
      `${half}: ${kind}`,
      measureQuality(
        search,
        all.filter((query) => query.kind === kind),
      ),
    )
  }
  const quality = measureQuality(search, all)
  printRow(`**${half}**`, quality)
  return quality
}

function printRow(name: string, { queries: number, recallAt1, recallAt5, meanReciprocalRank }: Quality): void {
  const shares = [recallAt1, recallAt5, meanReciprocalRank].map((share) => share.toFixed(3))
  console.log(`| ${[name, number, ...shares].join(' | ')} |`)
}
