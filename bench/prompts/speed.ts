import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Prompt } from '../../src/prompts/prompt.ts'
import { makePromptSearch } from '../../src/prompts/search.ts'
import type { StoredPrompt } from '../../src/prompts/store.ts'

export interface Speed {
  readonly prompts: number
  /** What the first query waits for, and the longest that nothing else could run meanwhile. */
  readonly buildMs: number
  readonly buildBlockMs: number
  readonly medianMs: number
  readonly p95Ms: number
  readonly slowestMs: number
  /** What the first query waits for when another process has written the index to a file. */
  readonly loadMs: number
  readonly fileBytes: number
}

export async function measureSpeed(prompts: readonly Prompt[], queries: readonly string[]): Promise<Speed> {
  const folder = await mkdtemp(join(tmpdir(), 'capstan-bench-'))
  try {
    const indexFile = join(folder, 'index.jsonl')
    const store = { list: async () => stored }
    const stored = prompts.map(asStored)
    const search = makePromptSearch(store, { indexFile })
    const build = await watched(async () => await search.search('warm up'))
    for (const query of queries.slice(0, 20)) await search.search(query)
    const times: number[] = []
    for (const query of queries) times.push(await timed(async () => await search.search(query)))
    times.sort((first, second) => first - second)
    const at = (part: number): number => times[Math.ceil(times.length * part) - 1] ?? Number.NaN
    await search.keep()
    const again = makePromptSearch(store, { indexFile })
    const load = await watched(async () => await again.search('warm up'))
    const { size } = await stat(indexFile)
    return {
      prompts: prompts.length,
      buildMs: build.ms,
      buildBlockMs: build.blockMs,
      medianMs: at(0.5),
      p95Ms: at(0.95),
      slowestMs: at(1),
      loadMs: load.ms,
      fileBytes: size,
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** In CPU time: how long a busy machine lets us wait is not the search's doing. The median of three, because of garbage collections. */
async function timed(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < 3; round += 1) {
    const start = cpuMs()
    await work()
    times.push(cpuMs() - start)
  }
  return times.sort((a, b) => a - b)[1] ?? Number.NaN
}

/** How long the work takes, and the longest stretch of it in which nothing else had a turn; in CPU time too. */
async function watched(work: () => Promise<unknown>): Promise<{ readonly ms: number; readonly blockMs: number }> {
  const state = { isDone: false, blockMs: 0 }
  const start = cpuMs()
  const working = work().finally(() => (state.isDone = true))
  let turn = start
  while (!state.isDone) {
    await nextTurn()
    const now = cpuMs()
    state.blockMs = Math.max(state.blockMs, now - turn)
    turn = now
  }
  await working
  return { ms: cpuMs() - start, blockMs: state.blockMs }
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

function asStored(prompt: Prompt): StoredPrompt {
  return { prompt, revision: 1, layer: 'user', labels: {}, overrides: [] }
}

/** As many prompts as asked for, made from real ones; each copy has words of its own, so that the vocabulary grows as well. */
export function multiply(prompts: readonly Prompt[], wanted: number): readonly Prompt[] {
  return Array.from({ length: wanted }, (_, index) => {
    const prompt = prompts[index % prompts.length]
    if (prompt === undefined) throw new Error('There are no prompts to multiply.')
    const copy = Math.floor(index / prompts.length)
    if (copy === 0) return prompt
    const word = madeUpWord(index)
    return { ...prompt, name: `${prompt.name.slice(0, 50)}_${index}`, title: `${prompt.title ?? ''} ${word}` }
  })
}

function madeUpWord(number: number): string {
  const syllables = ['ba', 'ko', 'ri', 'tu', 'ne', 'sol', 'mar', 'vik', 'den', 'pal']
  return Array.from(String(number), (digit) => syllables[Number(digit)] ?? '').join('')
}
