import type { CommandInput } from '../../command.ts'
import { exitCodes } from '../../exit-codes.ts'
import { plainLine } from '../../../policy/plain-text.ts'
import { columnsFor, styleFor } from '../../render/style.ts'
import { renderTable } from '../../render/table.ts'
import { layerOf } from './choose-prompts.ts'
import type { LibraryContext, Subcommand } from './subcommand.ts'

export const subcommand: Subcommand = {
  help: `Show all tags with how many prompts have each. A tag counts what is below it: language counts language/go.

  --layer NAME   the tags of this layer
  --json         the tags and their counts, as one JSON value

Example
  capstan library tags`,
  run,
}

async function run({ io, flags, openLibrary }: LibraryContext, { values }: CommandInput): Promise<number> {
  const { store } = await openLibrary()
  const prompts = await store.list(layerOf(values))
  const counts = countTags(prompts.map(({ prompt }) => prompt.tags))
  if (flags.json) {
    await io.out(`${JSON.stringify({ tags: counts.map(([tag, prompts]) => ({ tag, prompts })) })}\n`)
    return exitCodes.ok
  }
  const style = styleFor(io)
  const rows = counts.map(([tag, number]) => {
    const depth = tag.split('/').length - 1
    return [{ text: `${'  '.repeat(depth)}${plainLine(tag)}`, paint: style.name }, String(number)]
  })
  await io.out(renderTable(rows, { columns: columnsFor(io) }))
  if (rows.length === 0) io.err('No prompt has a tag. Give one some: capstan library edit NAME --tag TAG\n')
  return exitCodes.ok
}

/** Each prompt counts once for a tag and for each that holds it. */
function countTags(tags: readonly (readonly string[])[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>()
  for (const own of tags) {
    for (const tag of new Set(own.flatMap(withParents))) counts.set(tag, (counts.get(tag) ?? 0) + 1)
  }
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1))
}

function withParents(tag: string): readonly string[] {
  const parts = tag.split('/')
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'))
}
