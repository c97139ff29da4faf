import { resolveServer } from '../../config/interpolate.ts'
import type { Config, ConfiguredServer, ServerConfig, StdioServer } from '../../config/types.ts'
import { CapstanError, errorFamilies } from '../../errors.ts'
import { places } from '../../files/places.ts'
import type { Hub } from '../../hub/api.ts'
import { chooseServers } from '../choose-servers.ts'
import type { Command, CommandContext, CommandInput } from '../command.ts'
import { checkGround } from '../doctor/check-ground.ts'
import { diagnose, type Report, type ServerReport } from '../doctor/diagnose.ts'
import { findCommand } from '../doctor/find-command.ts'
import { isProblem, renderReports } from '../doctor/render-report.ts'
import { exitCodes } from '../exit-codes.ts'
import { groupByServer, type ServerGroup } from '../render/server-group.ts'
import { columnsFor, styleFor } from '../render/style.ts'

export const command: Command = {
  options: {},
  help: `Check every server, or those you name: is the entry right, is the command there, does it start, what does it speak and
offer, how long does it take. Says what is wrong and how to mend it. Also checks Node, the config files and folders.

  --json        the same as one JSON value

Exit code 0 when all is well, 1 when something was found.

Examples
  capstan doctor
  capstan doctor github`,
  run,
}

async function run(context: CommandContext, { positionals }: CommandInput): Promise<number> {
  const { io } = context
  const loaded = await tryLoad(context)
  const { config } = loaded
  const [ground, servers] = await Promise.all([
    checkGround({ nodeVersion: process.versions.node, platform: process.platform, places: places(io.env), ...loaded }),
    config === undefined ? [] : checkServers(context, config, positionals),
  ])
  await print(context, ground, servers)
  return [ground, ...servers].some((report) => report.findings.some(isProblem)) ? exitCodes.failed : exitCodes.ok
}

/** A config that cannot be read is a finding here, not the end. */
async function tryLoad({ loadConfig }: CommandContext): Promise<{ config?: Config; configProblem?: CapstanError }> {
  try {
    return { config: await loadConfig() }
  } catch (error) {
    if (error instanceof CapstanError && errorFamilies[error.code] === 'configuration') return { configProblem: error }
    throw error
  }
}

async function checkServers(
  context: CommandContext,
  config: Config,
  names: readonly string[],
): Promise<readonly ServerReport[]> {
  // Nobody is asked for trust here: that it is missing is a finding.
  const hub = await context.openHub([])
  const chosen = chooseServers(await hub.servers({ signal: context.signal }), names).map((status) => status.name)
  if (chosen.length === 0) return []
  const groups = await askUntilSettled(hub, chosen, context.signal)
  return Promise.all(groups.map(async (group) => checkServer(hub, group, { context, config })))
}

const mostRounds = 6

/** A catalogue comes back at its deadline; a server may take longer to start, and doctor wants to know how that ends. */
async function askUntilSettled(
  hub: Hub,
  names: readonly string[],
  signal: AbortSignal,
): Promise<readonly ServerGroup[]> {
  for (let round = 1; ; round++) {
    const catalogue = await hub.catalogue({ servers: names, signal })
    const groups = groupByServer(chooseServers(await hub.servers({ signal }), names), catalogue)
    const isSettled = groups.every((group) => group.status.state.kind !== 'connecting')
    if (isSettled || round === mostRounds) return groups
  }
}

interface Surroundings {
  readonly context: CommandContext
  readonly config: Config
}

async function checkServer(hub: Hub, group: ServerGroup, { context, config }: Surroundings): Promise<ServerReport> {
  const configured = config.servers.find((server) => server.name === group.status.name)
  const server = configured === undefined ? undefined : await resolved(configured, config)
  const commandFile = server?.transport === 'stdio' ? await fileOf(server, context) : undefined
  const logs = await hub.logs(group.status.name, { signal: context.signal })
  return diagnose({ group, configured, server, commandFile, logs })
}

/** The entry with its `${…}` filled in; as it stands in the file where that fails, which the hub then reports. */
async function resolved(
  { name, origin, standing }: ConfiguredServer,
  config: Config,
): Promise<ServerConfig | undefined> {
  if (standing.kind !== 'usable') return undefined
  const { layer, file } = origin
  const where = { name, layer, ...(file === undefined ? {} : { file }) }
  try {
    return await resolveServer(standing.server, where, config.surroundings)
  } catch (error) {
    if (error instanceof CapstanError) return standing.server
    throw error
  }
}

function fileOf(server: StdioServer, { io }: CommandContext): Promise<string | undefined> {
  const env = { ...io.env, ...server.env }
  return findCommand(server.command, { cwd: server.cwd ?? io.cwd, env, platform: process.platform })
}

async function print({ io, flags }: CommandContext, ground: Report, servers: readonly ServerReport[]): Promise<void> {
  if (flags.json) {
    const isWell = ![ground, ...servers].some((report) => report.findings.some(isProblem))
    await io.out(`${JSON.stringify({ ok: isWell, machine: ground, servers })}\n`)
    return
  }
  await io.out(renderReports(ground, servers, { columns: columnsFor(io), style: styleFor(io) }))
}
