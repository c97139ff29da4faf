import { stat } from 'node:fs/promises'
import type { PromptLayer, PromptStore, StoredPrompt } from '../../../prompts/store.ts'
import { exitCodes } from '../../exit-codes.ts'
import { plainLine } from '../../../policy/plain-text.ts'
import { count, formatNumber } from '../../render/numbers.ts'
import { columnsFor, styleFor } from '../../render/style.ts'
import { renderTable } from '../../render/table.ts'
import type { LibraryContext, Subcommand } from './subcommand.ts'

export const subcommand: Subcommand = {
  help: `Show how many prompts there are in each layer, where they are kept, and how large they are.

  --json   the numbers, as one JSON value

Example
  capstan library stats`,
  run,
}

async function run({ io, flags, openLibrary }: LibraryContext): Promise<number> {
  const { store } = await openLibrary()
  const [layers, prompts] = await Promise.all([store.layers(), store.list()])
  const counted = await Promise.all(layers.map(async (layer) => await countLayer(layer, store)))
  const totals = totalsOf(prompts)
  if (flags.json) {
    await io.out(`${JSON.stringify({ layers: counted, ...totals })}\n`)
    return exitCodes.ok
  }
  const style = styleFor(io)
  const columns = columnsFor(io)
  const rows = counted.map(({ name, prompts: own, bytes, place }) => [
    { text: plainLine(name), paint: style.name },
    count(own, 'prompt'),
    { text: bytes === 0 ? '' : `${formatNumber(bytes)} bytes`, paint: style.faint },
    { text: plainLine(place), paint: style.faint },
  ])
  const { largest, prompts: all, runbooks, withArguments, labelled, overriding, tags } = totals
  const numbers = {
    'in force': all,
    runbooks,
    'with arguments': withArguments,
    labelled,
    'instead of others': overriding,
    tags,
  }
  const facts = Object.entries(numbers).map(([what, number]) => [what, formatNumber(number)])
  await io.out(`${renderTable(rows, { columns })}\n${renderTable(facts, { columns })}`)
  if (largest !== undefined) await io.out(`largest: ${largest.name}, ${formatNumber(largest.characters)} characters\n`)
  return exitCodes.ok
}

async function countLayer({ name, kind, place }: PromptLayer, store: PromptStore) {
  const prompts = await store.list({ layer: name })
  // A layer without a file yet has no bytes.
  const bytes = await stat(place).then(
    ({ size }) => size,
    () => 0,
  )
  return { name, kind, place, prompts: prompts.length, bytes }
}

function totalsOf(prompts: readonly StoredPrompt[]) {
  const sizes = prompts.map(({ prompt }) => ({ name: prompt.name, characters: JSON.stringify(prompt.messages).length }))
  const largest = sizes.toSorted((a, b) => b.characters - a.characters)[0]
  const number = (isCounted: (stored: StoredPrompt) => boolean) => prompts.filter(isCounted).length
  return {
    prompts: prompts.length,
    runbooks: number(({ prompt }) => (prompt.steps ?? []).length > 0),
    withArguments: number(({ prompt }) => prompt.arguments.length > 0),
    labelled: number(({ labels }) => Object.keys(labels).length > 0),
    overriding: number(({ overrides }) => overrides.length > 0),
    tags: new Set(prompts.flatMap(({ prompt }) => prompt.tags)).size,
    ...(largest === undefined ? {} : { largest }),
  }
}
