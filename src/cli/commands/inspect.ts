import { builtinServers } from '../../daemon/builtins.ts'
import { CapstanError } from '../../errors.ts'
import type { Catalogue, CatalogueOptions, Hub, PromptEntry, ServerStatus, ToolEntry } from '../../hub/api.ts'
import { closest, findLeftOut, findPrompt, findTool, serversNamedIn } from '../../hub/catalogue/names.ts'
import type { Command, CommandContext, CommandInput } from '../command.ts'
import type { Catalogued } from '../disk-hub.ts'
import { exitCodes } from '../exit-codes.ts'
import { type Look, renderPrompt, renderServer, renderTool } from '../render/inspection.ts'
import { renderProblems, totalFailure } from '../render/problems.ts'
import { groupByServer, type ServerGroup } from '../render/server-group.ts'
import { columnsFor, styleFor } from '../render/style.ts'
import { sourceFlags } from '../render/suggestions.ts'

export const command: Command = {
  options: { fresh: { type: 'boolean' } },
  help: `Show all there is to know about one tool, prompt or server: the full description, a table of arguments, the
signature, what the server claims about its effects, and an example call.

  --json        the raw definition
  --fresh       ask the server, even where its lists were seen within a day

Names are server.tool, server:prompt, or a bare name when only one server has it.

Examples
  capstan inspect github.create_issue
  capstan inspect memory
  capstan inspect github.create_issue --json`,
  ownText: { stdout: true },
  run,
}

async function run(context: CommandContext, { positionals, values }: CommandInput): Promise<number> {
  const [name, ...more] = positionals
  if (name === undefined || more.length > 0) {
    throw new CapstanError('usage', 'inspect takes one name: a tool, a prompt or a server.', {
      next: 'For example: capstan inspect server.tool. The names: capstan list --all',
    })
  }
  const config = await context.loadConfig()
  const isBuiltin = builtinServers(config, context.flags.trustProject).some((server) => server.name === name)
  // A server is more than what it lists: its state is asked for.
  if (isBuiltin || config.servers.some((server) => server.name === name)) {
    return inspectServer(await context.openHub(() => [name]), name, context)
  }
  const fresh = values['fresh'] === true
  const hub = await context.openCatalogue(
    (names) => {
      const named = serversNamedIn(name, names)
      return named.length > 0 ? named : names
    },
    { kinds: ['tools', 'prompts'], fresh },
  )
  return inspectEntry(hub, { name, fresh, statuses: await hub.servers({ signal: context.signal }), context })
}

async function inspectServer(hub: Hub, name: string, context: CommandContext): Promise<number> {
  const group = (await askServers(hub, { servers: [name], signal: context.signal })).groups.find(
    ({ status }) => status.name === name,
  )
  if (group === undefined) throw new CapstanError('server_unknown', `The server "${name}" is gone.`, { server: name })
  const { coverage, status, ...lists } = group
  const coverageJson = coverage === undefined ? {} : { coverage: coverage.kind }
  await show(context, { ...status, ...coverageJson, ...lists }, (look) => renderServer(group, look))
  return totalFailure([group])?.exitCode ?? exitCodes.ok
}

interface Request {
  readonly name: string
  readonly fresh: boolean
  readonly statuses: readonly ServerStatus[]
  readonly context: CommandContext
}

async function inspectEntry(hub: Catalogued, { name, fresh, statuses, context }: Request): Promise<number> {
  // `everything.echo` needs no other server than `everything`; a bare name may be anyone's.
  const all = statuses.map((status) => status.name)
  const named = serversNamedIn(name, all)
  const { catalogue, groups } = await askServers(hub, {
    servers: named.length > 0 ? named : all,
    kinds: ['tools', 'prompts'],
    fresh,
    signal: context.signal,
  })
  const failure = totalFailure(groups)
  if (failure !== undefined) throw CapstanError.fromJSON(failure.error)
  const entry = findEntry(catalogue, name, all, () => {
    const leftOut = findLeftOut(
      groups.map(({ status }) => status),
      name,
    )
    if (leftOut !== undefined) throw CapstanError.fromJSON(leftOut.error)
    reportMissing(groups, context)
  })
  await show(context, entry, (look) => ('tool' in entry ? renderTool(entry, look) : renderPrompt(entry, look)))
  return exitCodes.ok
}

async function askServers(
  hub: Catalogued,
  options: CatalogueOptions & { readonly servers: readonly string[]; readonly signal: AbortSignal },
): Promise<{ catalogue: Catalogue; groups: readonly ServerGroup[] }> {
  const { servers, signal } = options
  const catalogue = await hub.catalogue(options)
  const statuses = await hub.servers({ signal })
  return {
    catalogue,
    groups: groupByServer(
      statuses.filter((status) => servers.includes(status.name)),
      catalogue,
    ),
  }
}

type Entry = ToolEntry | PromptEntry

function findEntry(catalogue: Catalogue, name: string, servers: readonly string[], onMissing: () => void): Entry {
  const finders: readonly ((catalogue: Catalogue, text: string) => Entry)[] = /[:]|^\//.test(name)
    ? [findPrompt, findTool]
    : [findTool, findPrompt]
  const found = finders.map((find) => attempt(() => find(catalogue, name)))
  const entry = found.find((result) => !(result instanceof CapstanError))
  if (entry !== undefined && !(entry instanceof CapstanError)) return entry
  onMissing()
  throw isSharedName(catalogue, name) ? found[0] : unknownName(catalogue, name, servers)
}

function attempt(find: () => Entry): Entry | CapstanError {
  try {
    return find()
  } catch (error) {
    if (error instanceof CapstanError) return error
    throw error
  }
}

/** Whether several servers have it: then the finder's own message lists them. */
function isSharedName(catalogue: Catalogue, name: string): boolean {
  return catalogue.tools.filter((tool) => tool.tool === name).length > 1
}

function unknownName(catalogue: Catalogue, name: string, servers: readonly string[]): CapstanError {
  const ids = [...servers, ...catalogue.tools.map((tool) => tool.id), ...catalogue.prompts.map((prompt) => prompt.id)]
  return new CapstanError('tool_unknown', `No tool, prompt or server "${name}".${closest(name, ids)}`, {
    next: 'Run: capstan list --all',
  })
}

/** The name may belong to a server that did not answer, so those are named first. */
function reportMissing(groups: readonly ServerGroup[], { io, flags }: CommandContext): void {
  io.err(
    renderProblems(groups, { style: styleFor(io, 'stderr'), columns: columnsFor(io, 'stderr'), debug: flags.debug }),
  )
}

async function show({ io, flags }: CommandContext, value: unknown, render: (look: Look) => string): Promise<void> {
  await io.out(
    flags.json
      ? `${JSON.stringify(value)}\n`
      : render({ columns: columnsFor(io), style: styleFor(io), flags: sourceFlags(flags) }),
  )
}
