import { diffPrompts } from '../../../prompts/diff-prompts.ts'
import type { Revision } from '../../../prompts/store.ts'
import type { CommandInput } from '../../command.ts'
import { exitCodes } from '../../exit-codes.ts'
import { plainLine } from '../../../policy/plain-text.ts'
import { columnsFor, styleFor } from '../../render/style.ts'
import { renderTable } from '../../render/table.ts'
import { layerOf, onlyName } from './choose-prompts.ts'
import type { LibraryContext, Subcommand } from './subcommand.ts'

export const subcommand: Subcommand = {
  help: `Show the revisions of a prompt, the newest first: number, date, labels, how many lines changed, who made it. A prompt that was
removed still has them.

  --layer NAME   the history in this layer
  --json         the revisions with the whole prompt of each, as one JSON value

Example
  capstan library history standup`,
  run,
}

async function run({ io, flags, openLibrary }: LibraryContext, input: CommandInput): Promise<number> {
  const name = onlyName(input, 'history')
  const { store } = await openLibrary()
  const revisions = await store.history(name, layerOf(input.values))
  if (flags.json) {
    await io.out(`${JSON.stringify({ name, revisions })}\n`)
    return exitCodes.ok
  }
  const style = styleFor(io)
  const rows = revisions.map((revision, at) => [
    { text: String(revision.revision), paint: style.name },
    { text: shortDate(revision.at), paint: style.faint },
    { text: revision.labels.join(' '), paint: style.good },
    { text: changeOf(revision, revisions[at + 1]) },
    { text: plainLine(revision.by ?? ''), paint: style.faint },
  ])
  await io.out(renderTable(rows, { columns: columnsFor(io) }))
  return exitCodes.ok
}

function shortDate(date = ''): string {
  return date.replace('T', ' ').replace(/:\d\d(?:\.\d+)?Z$/, '')
}

function changeOf({ kind, renamedFrom, prompt }: Revision, before: Revision | undefined): string {
  if (kind === 'removed') return 'removed'
  const renamed = renamedFrom === undefined ? '' : `, was ${renamedFrom}`
  if (before === undefined) return `added${renamed}`
  const lines = diffPrompts(before.prompt, prompt)
  const [more, less] = ['added', 'removed'].map((one) => lines.filter((line) => line.kind === one).length)
  return `+${more} -${less}${renamed}`
}
