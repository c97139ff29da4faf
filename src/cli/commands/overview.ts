import type { ImportSurroundings } from '../../config/import/clients.ts'
import type { ImportTable } from '../../config/import/table.ts'
import { homeFolder } from '../../files/places.ts'
import { addExample, chooseServers } from '../choose-servers.ts'
import type { Command, CommandContext } from '../command.ts'
import { exitCodes } from '../exit-codes.ts'
import { needsOf, type Overview, renderOverview } from '../render/overview.ts'
import { groupByServer, problemOf } from '../render/server-group.ts'
import { columnsFor, styleFor } from '../render/style.ts'
import { suggestions } from '../render/suggestions.ts'
import { toolsTokens } from '../../hub/catalogue/tokens.ts'

export const command: Command = {
  options: {},
  help: `Without a verb: your servers with their state, what their tools cost a model, what needs you, and what to type next.
When nothing is configured yet, it shows the servers of other clients on this machine that could be imported. Nothing is
written or started for that.

  --json        the same as one JSON value`,
  ownText: { stdout: true },
  run,
}

async function run(context: CommandContext): Promise<number> {
  const config = await context.loadConfig()
  if (config.servers.length === 0) return welcome(context)
  // Nobody is asked for trust here: what waits for it is part of the picture.
  const hub = await context.openHub(() => [])
  const { signal, flags, io } = context
  const servers = chooseServers(await hub.servers({ signal }), []).map(({ name }) => name)
  const catalogue = await hub.catalogue({ servers, kinds: ['tools', 'prompts'], signal })
  const groups = groupByServer(chooseServers(await hub.servers({ signal }), []), catalogue)
  const overview = { groups, needs: needsOf(groups, config.warnings), next: suggestions(groups, flags) }
  await io.out(
    flags.json ? toJson(overview) : renderOverview(overview, { columns: columnsFor(io), style: styleFor(io) }),
  )
  return exitCodes.ok
}

function toJson({ groups, needs, next }: Overview): string {
  const servers = groups.map((group) => {
    const error = problemOf(group)
    return {
      ...group.status,
      tools: group.tools.length,
      prompts: group.prompts.length,
      tokens: toolsTokens(group.tools),
      ...(error === undefined ? {} : { error }),
    }
  })
  const tools = groups.flatMap((group) => group.tools)
  const total = { tools: tools.length, tokens: toolsTokens(tools) }
  return `${JSON.stringify({ servers, total, needs, next })}\n`
}

/** Nothing of ours is configured. What other clients have is shown, and one command that takes it over. */
async function welcome(context: CommandContext): Promise<number> {
  const { io, flags } = context
  const [{ findImportable }, { renderImportTable }] = await Promise.all([
    import('../../config/import/find-importable.ts'),
    import('../render/import-table.ts'),
  ])
  // Files that the person named are all there is; other clients have nothing to do with them.
  const table = flags.config.length > 0 ? emptyTable : await findImportable(surroundings(context))
  const hasAny = table.rows.length > 0
  const next = hasAny ? 'capstan import --all' : addExample
  if (flags.json) {
    const importable = table.rows.map(({ name, sources }) => ({
      name,
      clients: sources.map((source) => source.client),
    }))
    await io.out(`${JSON.stringify({ servers: [], importable, next: [next] })}\n`)
    return exitCodes.ok
  }
  const look = { columns: columnsFor(io), style: styleFor(io) }
  await io.out(
    hasAny
      ? `Capstan has no servers yet, but other clients on this machine do. Nothing has been started or changed.\n\n${renderImportTable(table, look)}\nTake them over\n  ${look.style.name(next)}\n`
      : `No servers are configured, and none were found in other clients.\n\nAdd one\n  ${look.style.name(next)}\n`,
  )
  return exitCodes.ok
}

const emptyTable: ImportTable = { rows: [], leftOut: [], problems: [] }

function surroundings({ io }: CommandContext): ImportSurroundings {
  return { env: io.env, platform: process.platform, home: homeFolder(io.env), cwd: io.cwd }
}
