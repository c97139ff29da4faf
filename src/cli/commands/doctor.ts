import { resolveServer } from '../../config/interpolate.ts'
import type { Config, ConfiguredServer, StdioServer } from '../../config/types.ts'
import { CapstanError, errorFamilies } from '../../errors.ts'
import { places } from '../../files/places.ts'
import type { Hub } from '../../hub/api.ts'
import { chooseServers } from '../choose-servers.ts'
import type { Command, CommandContext, CommandInput } from '../command.ts'
import { checkGround } from '../doctor/check-ground.ts'
import { diagnose } from '../doctor/diagnose.ts'
import { findCommand } from '../doctor/find-command.ts'
import { isProblem, renderReports } from '../doctor/render-report.ts'
import type { Report, ServerReport } from '../doctor/report.ts'
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
  ownText: { stdout: true },
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
  const hub = await context.openHub(() => [])
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
  const answers = new Map<string, ServerGroup>()
  let asking = names
  for (let round = 0; round < mostRounds && asking.length > 0; round++) {
    const catalogue = await hub.catalogue({ servers: asking, signal })
    const groups = groupByServer(chooseServers(await hub.servers({ signal }), asking), catalogue)
    for (const group of groups) answers.set(group.status.name, group)
    asking = groups.filter((group) => group.status.state.kind === 'connecting').map((group) => group.status.name)
  }
  return [...answers.values()]
}

interface Surroundings {
  readonly context: CommandContext
  readonly config: Config
}

async function checkServer(hub: Hub, group: ServerGroup, { context, config }: Surroundings): Promise<ServerReport> {
  const configured = config.servers.find((server) => server.name === group.status.name)
  const server = configured?.standing.kind === 'usable' ? configured.standing.server : undefined
  const commandFile =
    configured !== undefined && server?.transport === 'stdio'
      ? await commandFileOf(server, configured, { context, config })
      : undefined
  const logs = await hub.logs(group.status.name, { signal: context.signal })
  return diagnose({ group, configured, server, commandFile, logs })
}

/** The file that the command runs, looked up as the hub would: with its `${…}` filled in and in its own folder. */
async function commandFileOf(
  server: StdioServer,
  { name, origin }: ConfiguredServer,
  { context, config }: Surroundings,
): Promise<string | undefined> {
  const { layer, file } = origin
  const where = { name, layer, ...(file === undefined ? {} : { file }) }
  try {
    // Only what the lookup needs: a `${cmd:…}` elsewhere in the entry need not run a second time.
    const { PATH } = server.env
    const needed = { ...server, args: [], env: PATH === undefined ? {} : { PATH } }
    const resolved = await resolveServer(needed, where, config.surroundings)
    if (resolved.transport !== 'stdio') return undefined
    const env = { ...context.io.env, ...resolved.env }
    return await findCommand(resolved.command, { cwd: resolved.cwd ?? context.io.cwd, env, platform: process.platform })
  } catch (error) {
    // A variable that is missing keeps the server from starting, so the hub has reported it already.
    if (error instanceof CapstanError) return undefined
    throw error
  }
}

async function print({ io, flags }: CommandContext, ground: Report, servers: readonly ServerReport[]): Promise<void> {
  if (flags.json) {
    const isWell = ![ground, ...servers].some((report) => report.findings.some(isProblem))
    await io.out(`${JSON.stringify({ ok: isWell, machine: ground, servers })}\n`)
    return
  }
  await io.out(renderReports(ground, servers, { columns: columnsFor(io), style: styleFor(io) }))
}
