import { columnsFor, styleFor } from '../../render/style.ts'
import { renderTable } from '../../render/table.ts'
import { count } from '../../render/numbers.ts'
import { exitCodes } from '../../exit-codes.ts'
import { plainLine } from '../../../policy/plain-text.ts'
import type { CommandInput } from '../../command.ts'
import type { StoredPrompt } from '../../../prompts/store.ts'
import { choosePrompts } from './choose-prompts.ts'
import { aboutPrompt, originOf, promptSummary } from './prompt-row.ts'
import type { LibraryContext, Subcommand } from './subcommand.ts'

export const subcommand: Subcommand = {
  help: `Show the prompts of the library: name, where it comes from, tags, and what it is for.

  --tag TAG        only prompts with this tag; language also means language/go. Given again: with all of them
  --any-tag TAG    only prompts with one of these tags
  --layer NAME     only this layer (builtin, user, project, or a team's folder), also what a stronger one replaces
  --json           the prompts with arguments, labels and revisions, as one JSON value

Examples
  capstan library list
  capstan library list --tag code --json`,
  run,
}

async function run({ io, flags, openLibrary }: LibraryContext, { values, positionals }: CommandInput): Promise<number> {
  const { store } = await openLibrary()
  const prompts = await choosePrompts(store, { names: positionals, values })
  const problems = await store.problems()
  if (flags.json) await io.out(`${JSON.stringify({ prompts: prompts.map(promptSummary), problems })}\n`)
  else await io.out(tableOf(prompts, { io }))
  if (prompts.length === 0) io.err('No prompts fit. Run: capstan library tags\n')
  if (problems.length > 0) {
    io.err(`${count(problems.length, 'line')} of the library cannot be read. Run: capstan library validate\n`)
  }
  return exitCodes.ok
}

function tableOf(prompts: readonly StoredPrompt[], { io }: Pick<LibraryContext, 'io'>): string {
  const style = styleFor(io)
  const rows = prompts.map((stored) => [
    { text: stored.prompt.name, paint: style.name },
    { text: plainLine(originOf(stored)), paint: style.faint },
    { text: plainLine(stored.prompt.tags.join(' ')), paint: style.faint },
    aboutPrompt(stored),
  ])
  return renderTable(rows, { columns: columnsFor(io) })
}
