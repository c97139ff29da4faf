import { CapstanError } from '../../../errors.ts'
import { makePromptSearch, type PromptHit, type PromptSearchOptions } from '../../../prompts/search.ts'
import { searchFields } from '../../../prompts/search/prompt-text.ts'
import type { CommandInput } from '../../command.ts'
import { exitCodes } from '../../exit-codes.ts'
import { plainLine } from '../../../policy/plain-text.ts'
import { columnsFor, styleFor } from '../../render/style.ts'
import { renderTable } from '../../render/table.ts'
import { textOf, textsOf } from './choose-prompts.ts'
import { aboutPrompt, promptSummary } from './prompt-row.ts'
import type { LibraryContext, Subcommand } from './subcommand.ts'

export const subcommand: Subcommand = {
  help: `Find prompts by title, name, description, tags, text and arguments, the best first. Typing mistakes are forgiven.

  --tag TAG        only prompts with this tag; given again: with all of them
  --any-tag TAG    only prompts with one of these tags
  --field FIELD    look only there: ${searchFields.join(', ')}; may be given again
  --limit N        at most N (default 10)
  --min-score S    only hits of at least this score, from 0 to 1
  --json           the hits with score and where they were found, as one JSON value

Finding nothing is an answer: exit code 0.

Examples
  capstan library search write tests
  capstan library search "explane kubernetes" --limit 3
  capstan library search review --tag code --json`,
  run,
}

async function run({ io, flags, openLibrary }: LibraryContext, { values, positionals }: CommandInput): Promise<number> {
  const query = positionals.join(' ').trim()
  if (query === '') {
    throw new CapstanError('usage', 'What to search for is missing.', {
      next: 'Say it in a few words: capstan library search write tests',
    })
  }
  const { store, indexFile } = await openLibrary()
  const search = makePromptSearch(store, { indexFile })
  const hits = await search.search(query, optionsOf(values))
  if (flags.json) await io.out(`${JSON.stringify({ query, hits: hits.map(toJson) })}\n`)
  else await io.out(tableOf(hits, { io }))
  if (hits.length === 0) io.err(`Nothing matches "${plainLine(query)}". Try other words, or: capstan library tags\n`)
  await search.keep()
  return exitCodes.ok
}

function optionsOf(values: CommandInput['values']): PromptSearchOptions {
  const fields = textsOf(values, 'field').map(
    (word) => searchFields.find((field) => field === word) ?? unknownField(word),
  )
  const [limit, minScore] = [textOf(values, 'limit'), textOf(values, 'min-score')]
  if (limit !== undefined && !/^[1-9]\d{0,5}$/.test(limit)) {
    throw new CapstanError('usage', `--limit wants a whole number from 1 on, not "${limit}".`)
  }
  if (minScore !== undefined && !(Number(minScore) >= 0 && Number(minScore) <= 1)) {
    throw new CapstanError('usage', `--min-score wants a number from 0 to 1, not "${minScore}".`)
  }
  return {
    tags: textsOf(values, 'tag'),
    anyTags: textsOf(values, 'any-tag'),
    ...(fields.length === 0 ? {} : { fields }),
    ...(limit === undefined ? {} : { limit: Number(limit) }),
    ...(minScore === undefined ? {} : { minScore: Number(minScore) }),
  }
}

function unknownField(word: string): never {
  throw new CapstanError('usage', `Prompts have no field "${word}" to search in.`, {
    next: `Fields: ${searchFields.join(', ')}.`,
  })
}

function toJson({ stored, score, matches }: PromptHit) {
  return { ...promptSummary(stored), score, matches }
}

function tableOf(hits: readonly PromptHit[], { io }: Pick<LibraryContext, 'io'>): string {
  const style = styleFor(io)
  const rows = hits.map((hit) => [{ text: hit.stored.prompt.name, paint: style.name }, contextOf(hit)])
  return renderTable(rows, { columns: columnsFor(io) })
}

/** What it is for; where that does not say why it was found, the place that does. */
function contextOf({ stored, matches }: PromptHit): string {
  const isTold = matches.some(({ field }) => field === 'title' || field === 'name' || field === 'description')
  const [other] = matches
  const found =
    isTold || other === undefined ? '' : ` (${other.field}: ${plainLine(other.context.replaceAll('**', ''))})`
  return `${aboutPrompt(stored)}${found}`.trim()
}
