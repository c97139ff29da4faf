import { readServerFile } from '../../config/edit.ts'
import { readConnections, type Connection } from '../../config/connect/connections.ts'
import { disconnectFile, type DisconnectOptions } from '../../config/connect/disconnect-file.ts'
import { connectionsOf } from '../../config/connect/find-connections.ts'
import { planDisconnect } from '../../config/connect/plan-disconnect.ts'
import { homeFolder, places } from '../../files/places.ts'
import { agreed, refuseWithoutAnswer } from '../agreed.ts'
import type { Command, CommandContext, CommandInput } from '../command.ts'
import { clientsNamed } from '../connect-wishes.ts'
import { eachClient, type ClientOutcome } from '../each-client.ts'
import { describeDisconnected, describeDisconnectPlan, disconnectedToJson } from '../render/disconnect-report.ts'

export const command: Command = {
  options: {
    keep: { type: 'boolean' },
    yes: { type: 'boolean' },
    'dry-run': { type: 'boolean' },
  },
  help: `Take Capstan out of other clients again. A file that nobody has changed since "capstan connect" becomes what it was, byte for
byte. In one that was changed only our entry goes, and the servers that were moved come back.

  --keep      leave the servers that were moved in Capstan as well
  --dry-run   only show what would change
  --yes       do not ask
  --json      what was done, as one JSON value

A server that came to Capstan with the client leaves it again, unless another client is connected or its entry was changed.

Examples
  capstan disconnect cursor
  capstan disconnect claude-code vscode --keep --yes`,
  ownText: { stdout: true },
  run,
}

async function run(context: CommandContext, input: CommandInput): Promise<number> {
  const { io, signal } = context
  const clients = clientsNamed(input.positionals, 'disconnect')
  refuseWithoutAnswer(context, input)
  const stateFolder = places(io.env).state
  const surroundings = { env: io.env, platform: process.platform, home: homeFolder(io.env), cwd: io.cwd }
  const keep = input.values['keep'] === true
  const options: DisconnectOptions = { stateFolder, clients, serversIn: readServerFile, keep, signal }
  return await eachClient(context, clients, async (client) => {
    const outcomes: ClientOutcome[] = []
    for (const connection of await connectionsOf(client, await readConnections(stateFolder), surroundings)) {
      outcomes.push(await disconnect(connection, options, { context, input }))
    }
    return outcomes
  })
}

async function disconnect(
  connection: Connection,
  options: DisconnectOptions,
  { context, input }: { readonly context: CommandContext; readonly input: CommandInput },
): Promise<ClientOutcome> {
  const { io, flags } = context
  const plan = await planDisconnect(connection, { ...options, connections: await readConnections(options.stateFolder) })
  if (!flags.json) await io.out(describeDisconnectPlan(plan, io))
  if (!(await agreed(context, input, 'Do this?'))) return { json: disconnectedToJson(plan, { isDone: false }) }
  await disconnectFile(plan, options)
  if (!flags.json) await io.out(describeDisconnected(plan))
  return { json: disconnectedToJson(plan, { isDone: true }) }
}
