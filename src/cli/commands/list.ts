import { CapstanError, unreachable } from '../../errors.ts'
import type { Catalogue, ListKind } from '../../hub/api.ts'
import { declareTools } from '../../hub/catalogue/signature.ts'
import { addExample, chooseServers, refuseDisabled } from '../choose-servers.ts'
import type { Command, CommandContext, CommandInput } from '../command.ts'
import type { Catalogued } from '../disk-hub.ts'
import { exitCodes } from '../exit-codes.ts'
import { plainText } from '../../policy/plain-text.ts'
import { rankByCost, renderCost } from '../render/cost.ts'
import { renderListing } from '../render/listing.ts'
import { renderMarkdown } from '../render/markdown.ts'
import { renderProblems, totalFailure } from '../render/problems.ts'
import { groupByServer, type ServerGroup } from '../render/server-group.ts'
import { columnsFor, styleFor } from '../render/style.ts'

export const command: Command = {
  options: {
    prompts: { type: 'boolean' },
    resources: { type: 'boolean' },
    all: { type: 'boolean' },
    ts: { type: 'boolean' },
    markdown: { type: 'boolean' },
    tokens: { type: 'boolean' },
    fresh: { type: 'boolean' },
  },
  help: `List what your servers offer: their tools, or with a flag their prompts and resources.

  --prompts     prompts instead of tools
  --resources   resources and resource templates instead of tools
  --all         tools, prompts, resources and templates
  --ts          tools as compact TypeScript declarations, one line each: for a model's context, and to write code against
  --markdown    the whole catalogue as a Markdown document
  --tokens      tools ranked by about what each costs a model
  --fresh       ask the servers, even where their lists were seen within a day
  --json        servers with their state, and full definitions, as one JSON value

A server that does not answer is named on stderr; the others are listed. Exit code 3 only when none answered.

Examples
  capstan list
  capstan list github memory --all
  capstan list --ts > capstan.d.ts`,
  run,
}

type Format = 'text' | 'ts' | 'markdown' | 'tokens'

interface View {
  readonly format: Format
  readonly kinds: readonly ListKind[]
}

const everyKind: readonly ListKind[] = ['tools', 'prompts', 'resources', 'templates']

async function run(context: CommandContext, input: CommandInput): Promise<number> {
  const view = viewOf(context, input)
  const needs = (names: readonly string[]) => (input.positionals.length > 0 ? input.positionals : names)
  const hub = await context.openCatalogue(needs, { kinds: view.kinds, fresh: input.values['fresh'] === true })
  const statuses = await hub.servers({ signal: context.signal })
  // The library that comes with Capstan has prompts for people; its two tools are for models.
  const isForAll = input.positionals.length === 0 && view.kinds.includes('prompts')
  const chosen = isForAll ? statuses : chooseServers(statuses, input.positionals)
  if (chosen.length === 0) {
    if (context.flags.json) await context.io.out(toJson(view, [], undefined))
    context.io.err(
      `No servers are configured. Add one: ${addExample}\nOr take over those of another client: capstan import\n`,
    )
    return exitCodes.ok
  }
  if (input.positionals.length > 0) refuseDisabled(chosen)
  const fresh = input.values['fresh'] === true
  const groups = await ask(hub, { context, view, fresh, names: chosen.map((status) => status.name) })
  return print(context, view, groups)
}

function viewOf({ flags }: CommandContext, { values }: CommandInput): View {
  const formats = (['ts', 'markdown', 'tokens'] as const).filter((flag) => values[flag] === true)
  const clashing = [...formats, ...(flags.json && values['tokens'] !== true ? ['json'] : [])]
  if (clashing.length > 1) {
    throw new CapstanError(
      'usage',
      `${clashing.map((format) => `--${format}`).join(' and ')} cannot be given together.`,
    )
  }
  const format = formats[0] ?? 'text'
  const kinds = chosenKinds(values)
  if ((format === 'ts' || format === 'tokens') && kinds.some((kind) => kind !== 'tools')) {
    throw new CapstanError('usage', `--${format} is about tools only: leave out --prompts, --resources and --all.`)
  }
  return { format, kinds: format === 'markdown' ? everyKind : kinds }
}

function chosenKinds(values: CommandInput['values']): readonly ListKind[] {
  if (values['all'] === true) return everyKind
  const prompts: readonly ListKind[] = values['prompts'] === true ? ['prompts'] : []
  const resources: readonly ListKind[] = values['resources'] === true ? ['resources', 'templates'] : []
  const kinds = [...prompts, ...resources]
  return kinds.length === 0 ? ['tools'] : kinds
}

interface Question {
  readonly context: CommandContext
  readonly view: View
  readonly names: readonly string[]
  readonly fresh: boolean
}

async function ask(hub: Catalogued, { context, view, names, fresh }: Question): Promise<readonly ServerGroup[]> {
  const catalogue: Catalogue = await hub.catalogue({ servers: names, kinds: view.kinds, fresh, signal: context.signal })
  // The states are asked for again: connecting is what changed them.
  const statuses = await hub.servers({ signal: context.signal })
  return groupByServer(chooseServers(statuses, names), catalogue)
}

async function print(context: CommandContext, view: View, groups: readonly ServerGroup[]): Promise<number> {
  const { io, flags } = context
  const failure = totalFailure(groups)
  await io.out(flags.json ? toJson(view, groups, failure) : toText(context, view, groups))
  io.err(
    renderProblems(groups, { style: styleFor(io, 'stderr'), columns: columnsFor(io, 'stderr'), debug: flags.debug }),
  )
  return failure?.exitCode ?? exitCodes.ok
}

function toText({ io }: CommandContext, view: View, groups: readonly ServerGroup[]): string {
  const look = { columns: columnsFor(io), style: styleFor(io) }
  switch (view.format) {
    case 'ts':
      return plainText(declareTools(groups.flatMap((group) => group.tools)))
    case 'markdown':
      return renderMarkdown(groups)
    case 'tokens':
      return renderCost(groups, look)
    case 'text':
      return renderListing(groups, { ...look, kinds: view.kinds })
    default:
      return unreachable(view.format)
  }
}

function toJson(view: View, groups: readonly ServerGroup[], failure: ReturnType<typeof totalFailure>): string {
  const lists = view.kinds.map((kind) => [kind, groups.flatMap((group): readonly unknown[] => group[kind])])
  return `${JSON.stringify({
    servers: groups.map(({ status, coverage }) => ({
      ...status,
      ...(coverage === undefined ? {} : { coverage: coverage.kind }),
      ...(coverage?.kind === 'cached' ? { savedAt: new Date(coverage.savedAtMs).toISOString() } : {}),
      ...(coverage === undefined || !('error' in coverage) ? {} : { error: coverage.error }),
    })),
    ...Object.fromEntries(lists),
    ...(view.format === 'tokens' ? { tokens: rankByCost(groups) } : {}),
    ...(failure === undefined ? {} : { error: failure.error }),
  })}\n`
}
