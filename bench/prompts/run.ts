// CAPSTAN_BENCH_PROMPTS=FILE node bench/prompts/run.ts [--tuning]: how well and how fast prompts are found, over a collection of prompts, one
// a line. While tuning, give --tuning: what the held-out half says must not steer the settings.
import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { promptNameFor } from '../../src/prompts/prompt-name.ts'
import type { Prompt } from '../../src/prompts/prompt.ts'
import { readPrompt } from '../../src/prompts/read-prompt.ts'
import { makePromptSearch } from '../../src/prompts/search.ts'
import { measureQuality, type LabelledQuery } from './quality.ts'
import queriesJson from './queries.json' with { type: 'json' }
import { measureSpeed, multiply } from './speed.ts'

const { values } = parseArgs({ options: { tuning: { type: 'boolean', default: false } } })
const collection = process.env['CAPSTAN_BENCH_PROMPTS']
if (collection === undefined || collection === '') {
  console.error('Set CAPSTAN_BENCH_PROMPTS to a file of prompts, one JSON object a line.')
  process.exit(2)
}

const prompts = await readCollection(collection)
const known = new Set(prompts.map(({ name }) => name))
const queries = (queriesJson as readonly LabelledQuery[]).filter(({ expected }) =>
  expected.some((name) => known.has(name)),
)
console.log(`${prompts.length} prompts, ${queries.length} of ${queriesJson.length} queries usable\n`)
if (queries.length > 0) await reportQuality()
if (!values.tuning) await reportSpeed()

async function reportQuality(): Promise<void> {
  const stored = prompts.map((prompt) => ({ prompt, revision: 1, layer: 'user', labels: {}, overrides: [] }))
  const search = makePromptSearch({ list: async () => stored })
  const isTypo = ({ kind }: LabelledQuery) => kind === 'typo'
  console.log('| queries | number | hit@1 | hit@5 | MRR@10 |\n| --- | --- | --- | --- | --- |')
  const halves: Readonly<Record<string, readonly LabelledQuery[]>> = {
    tuning: queries.filter((query) => !isHeldOut(query)),
    ...(values.tuning ? {} : { 'held out': queries.filter(isHeldOut), all: queries }),
  }
  const missed: string[] = []
  for (const [half, all] of Object.entries(halves)) {
    for (const kind of new Set(all.map((query) => query.kind))) {
      await row(
        `${half}: ${kind}`,
        all.filter((query) => query.kind === kind),
      )
    }
    await row(
      `${half}: without typos`,
      all.filter((query) => !isTypo(query)),
    )
    missed.push(...(await row(`**${half}**`, all)))
  }
  console.log(`\nnot among the first five: ${[...new Set(missed)].join(' · ') || 'none'}\n`)

  async function row(name: string, some: readonly LabelledQuery[]): Promise<readonly string[]> {
    const { queries: number, hitAt1, hitAt5, meanReciprocalRank, missed: lost } = await measureQuality(search, some)
    console.log(
      `| ${[name, number, ...[hitAt1, hitAt5, meanReciprocalRank].map((share) => share.toFixed(3))].join(' | ')} |`,
    )
    return lost
  }
}

async function reportSpeed(): Promise<void> {
  console.log('| prompts | build | blocked | query p50 | p95 | slowest | load | file |')
  console.log('| --- | --- | --- | --- | --- | --- | --- | --- |')
  const texts = (queriesJson as readonly LabelledQuery[]).map(({ query }) => query)
  for (const wanted of [1_000, 10_000, 100_000]) {
    const speed = await measureSpeed(multiply(prompts, wanted), texts)
    const ms = (value: number) => `${value.toFixed(value < 100 ? 1 : 0)} ms`
    const query = [speed.medianMs, speed.p95Ms, speed.slowestMs].map(ms)
    const built = [ms(speed.buildMs), ms(speed.buildBlockMs)]
    const loaded = [ms(speed.loadMs), `${(speed.fileBytes / 1e6).toFixed(1)} MB`]
    console.log(`| ${[wanted, ...built, ...query, ...loaded].join(' | ')} |`)
  }
}

/** Decided by the query's own text, so that a new query never moves another one to the other half. */
function isHeldOut({ query }: LabelledQuery): boolean {
  return Number.parseInt(hash('sha256', query).slice(0, 2), 16) % 2 === 1
}

/** Names and arguments that do not fit are made to: a collection comes from anywhere. */
async function readCollection(file: string): Promise<readonly Prompt[]> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line.trim() !== '')
  const names = new Set<string>()
  return lines.map((line) => {
    const raw = JSON.parse(line) as { readonly name: string }
    const name = promptNameFor(raw.name, (taken) => names.has(taken))
    names.add(name)
    return readPrompt({ ...raw, name })
  })
}
