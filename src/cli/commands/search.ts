import { CapstanError, type ErrorJson } from '../../errors.ts'
import type { Catalogue, ToolHit } from '../../hub/api.ts'
import { firstSentence } from '../../hub/catalogue/first-sentence.ts'
import { makeToolSearch } from '../../hub/search/search.ts'
import { addExample, chooseServers, refuseDisabled } from '../choose-servers.ts'
import type { Command, CommandContext, CommandInput } from '../command.ts'
import { exitCodes } from '../exit-codes.ts'
import { plainLine } from '../../policy/plain-text.ts'
import { count } from '../render/numbers.ts'
import { renderProblems, totalFailure } from '../render/problems.ts'
import { groupByServer, hasAnswered, type ServerGroup } from '../render/server-group.ts'
import { columnsFor, styleFor } from '../render/style.ts'
import { renderTable } from '../render/table.ts'
import { truncate } from '../render/width.ts'

export const command: Command = {
  options: {
    server: { type: 'string', multiple: true },
    limit: { type: 'string' },
    fresh: { type: 'boolean' },
  },
  help: `Find tools by what they do. Names, titles, descriptions and arguments are searched, the best hit comes first, and typing
mistakes are forgiven. Each line shows the tool, the words that were found in it, and its first sentence.

  --server NAME   only the tools of this server; may be given again
  --limit N       at most N tools (default 10)
  --fresh         ask the servers, even where their lists were seen within a day
  --json          the hits with score (0 to 1), matched words and full definitions, as one JSON value

Finding nothing is an answer: exit code 0. A server that does not answer is named on stderr.

Examples
  capstan search create issue
  capstan search "how do I rename a file" --limit 3
  capstan search screenshot --server playwright --json`,
  ownText: { stdout: true },
  run,
}

interface Search {
  readonly query: string
  readonly servers: readonly string[]
  readonly limit: number
  readonly fresh: boolean
}

interface Outcome {
  readonly hits: readonly ToolHit[]
  readonly catalogue: Catalogue
  readonly groups: readonly ServerGroup[]
}

async function run(context: CommandContext, input: CommandInput): Promise<number> {
  const search = searchOf(input)
  const outcome = await find(context, search)
  const failure = totalFailure(outcome.groups)
  const { io, flags } = context
  await io.out(flags.json ? toJson(search, outcome, failure?.error) : toText(context, outcome.hits))
  io.err(
    renderProblems(outcome.groups, {
      style: styleFor(io, 'stderr'),
      columns: columnsFor(io, 'stderr'),
      debug: flags.debug,
    }),
  )
  if (failure !== undefined) return failure.exitCode
  if (outcome.hits.length === 0) io.err(nothingFound(search, outcome))
  return exitCodes.ok
}

function searchOf({ values, positionals }: CommandInput): Search {
  const query = positionals.join(' ').trim()
  if (query === '') {
    throw new CapstanError('usage', 'What to search for is missing.', {
      next: 'Say it in a few words: capstan search create issue',
    })
  }
  const server = values['server']
  const named = Array.isArray(server) ? server : [server]
  return {
    query,
    limit: limitOf(values['limit']),
    servers: named.filter((name) => typeof name === 'string'),
    fresh: values['fresh'] === true,
  }
}

const defaultLimit = 10

function limitOf(value: CommandInput['values'][string]): number {
  if (value === undefined) return defaultLimit
  if (typeof value === 'string' && /^[1-9]\d{0,5}$/.test(value)) return Number(value)
  throw new CapstanError('usage', `--limit wants a whole number from 1 on, not "${String(value)}".`, {
    next: 'Example: --limit 20',
  })
}

async function find(
  { openCatalogue, signal }: CommandContext,
  { query, servers, limit, fresh }: Search,
): Promise<Outcome> {
  const hub = await openCatalogue((names) => (servers.length > 0 ? servers : names), { kinds: ['tools'], fresh })
  const chosen = chooseServers(await hub.servers({ signal }), servers)
  if (servers.length > 0) refuseDisabled(chosen)
  const names = chosen.map((status) => status.name)
  const catalogue = await hub.catalogue({ servers: names, kinds: ['tools'], fresh, signal })
  // The states are asked for again: connecting is what changed them.
  const groups = groupByServer(chooseServers(await hub.servers({ signal }), names), catalogue)
  return { hits: makeToolSearch(catalogue.tools)(query, { limit }), catalogue, groups }
}

function toJson({ query }: Search, { hits, catalogue }: Outcome, error: ErrorJson | undefined): string {
  return `${JSON.stringify({ query, hits, servers: catalogue.servers, ...(error === undefined ? {} : { error }) })}\n`
}

const widestTerms = 24

function toText({ io }: CommandContext, hits: readonly ToolHit[]): string {
  const style = styleFor(io)
  const rows = hits.map(({ tool, terms }) => [
    { text: plainLine(tool.id), paint: style.name },
    { text: truncate(plainLine(terms.join(' ')), widestTerms), paint: style.faint },
    plainLine(firstSentence(tool.description ?? tool.title, Number.POSITIVE_INFINITY)),
  ])
  return renderTable(rows, { columns: columnsFor(io) })
}

function nothingFound({ query }: Search, { catalogue, groups }: Outcome): string {
  if (groups.length === 0) return `No servers are configured. Add one: ${addExample}\n`
  const among = `${count(catalogue.tools.length, 'tool')} of ${count(groups.filter(hasAnswered).length, 'server')}`
  return `Nothing among ${among} matches "${plainLine(query)}". Try other words, or see them all: capstan list\n`
}
