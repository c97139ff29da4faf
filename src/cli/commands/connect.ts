import { connectFile } from '../../config/connect/connect-file.ts'
import type { ConnectPlan } from '../../config/connect/plan-connect.ts'
import { readServerFile } from '../../config/edit.ts'
import { clientIds, clients } from '../../config/import/clients.ts'
import { places } from '../../files/places.ts'
import { agreed, refuseWithoutAnswer } from '../agreed.ts'
import { ask } from '../ask.ts'
import type { Command, CommandContext, CommandInput } from '../command.ts'
import { openDesk, planTarget, targetsOf, variablesFor, type Desk, type Target } from '../connect-desk.ts'
import { connectWishes } from '../connect-wishes.ts'
import { eachClient, type ClientOutcome } from '../each-client.ts'
import {
  connectedToJson,
  describeConnected,
  describeConnectPlan,
  type ToldConnection,
} from '../render/connect-report.ts'

export const command: Command = {
  options: {
    http: { type: 'string' },
    mode: { type: 'string' },
    move: { type: 'boolean' },
    'no-move': { type: 'boolean' },
    as: { type: 'string' },
    'no-variables': { type: 'boolean' },
    yes: { type: 'boolean' },
    'dry-run': { type: 'boolean' },
  },
  help: `Put Capstan into other clients: one entry in the file of each, which reaches all of your servers. What would change is shown
first, then you are asked. The file as it was is kept, and "capstan disconnect" brings it back byte for byte.

Clients: ${clientIds.join(', ')}.

  --move           move the client's own servers into Capstan; --no-move leaves them, and neither asks
  --mode MODE      what the client sees: auto, all, meta or code; the default is what fits the client
  --http URL       reach a Capstan that runs at this address (capstan serve --http), with --header K=V for a token
  --as skill       write a SKILL.md that teaches the command line instead of an entry
  --no-variables   leave out the values of variables that your servers' entries name; PATH is always written
  --dry-run        only show what would change
  --yes            do not ask
  --json           what was done, as one JSON value

The entry has absolute paths, your PATH and the variables that your servers need, so that it works from programs that were
started without a shell.

Examples
  capstan connect claude-code cursor
  capstan connect vscode --move --yes
  capstan connect codex --as skill --dry-run`,
  ownText: { stdout: true },
  run,
}

async function run(context: CommandContext, input: CommandInput): Promise<number> {
  const wishes = connectWishes(context, input)
  refuseWithoutAnswer(context, input)
  const desk = await openDesk(context, wishes)
  return await eachClient(context, wishes.clients, async (client) => {
    const outcomes: ClientOutcome[] = []
    for (const target of await targetsOf(client, desk)) outcomes.push(await connect(target, desk, input))
    return outcomes
  })
}

async function connect(target: Target, desk: Desk, input: CommandInput): Promise<ClientOutcome> {
  const { context, wishes, serversFile } = desk
  const { io, flags, signal } = context
  const known = await readServerFile(serversFile)
  const first = await planTarget(target, desk, { known, move: wishes.move === true })
  const move = wishes.move ?? (await wantsToMove(first, context, input))
  const shown = move === (wishes.move === true) ? first : await planTarget(target, desk, { known, move })
  const told: ToldConnection = {
    plan: shown,
    servers: known.size,
    program: desk.program,
    isAddress: wishes.address !== undefined,
    ...variablesFor(shown, desk),
  }
  if (!flags.json) await io.out(describeConnectPlan(told, io))
  // A file that is as it should be may still have to be noted as this client's: two read the same skills.
  const mayWrite =
    shown.after === shown.text ? input.values['dry-run'] !== true : await agreed(context, input, 'Write this?')
  if (!mayWrite) return { json: connectedToJson(told, { kind: 'unchanged' }) }
  const connected = await connectFile(
    shown,
    async (text) => await planTarget({ ...target, text }, desk, { known: await readServerFile(serversFile), move }),
    { stateFolder: places(io.env).state, serversFile, env: io.env, now: new Date(), signal },
  )
  if (!flags.json && shown.after !== shown.text) await io.out(describeConnected(told, connected))
  return { json: connectedToJson(told, connected) }
}

async function wantsToMove(
  { client, movable }: ConnectPlan,
  { io, flags, signal }: CommandContext,
  { values }: CommandInput,
): Promise<boolean> {
  if (movable.length === 0 || !flags.mayAsk || values['yes'] === true || values['dry-run'] === true) return false
  const question = `${clients[client].title} has servers of its own: ${movable.join(', ')}. Move them into Capstan?`
  return (await ask(io, question, { choices: ['yes', 'no'], signal })) === 'yes'
}
