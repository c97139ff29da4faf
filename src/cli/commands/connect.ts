import { readServerFile } from '../../config/edit.ts'
import { carriedVariables } from '../../config/connect/carried-variables.ts'
import { filesToConnect, readExact, type ClientText } from '../../config/connect/client-text.ts'
import { connectFile } from '../../config/connect/connect-file.ts'
import { gatewayEntry, modeFor } from '../../config/connect/gateway-entry.ts'
import { planConnect, type ConnectPlan, type ConnectWish } from '../../config/connect/plan-connect.ts'
import { skillFile, skillText } from '../../config/connect/skill.ts'
import { clientIds, clients, type ClientId, type ImportSurroundings } from '../../config/import/clients.ts'
import type { JsonObject } from '../../config/import/json.ts'
import type { RawEntry } from '../../config/types.ts'
import { CapstanError } from '../../errors.ts'
import { homeFolder, places } from '../../files/places.ts'
import { version } from '../../version.ts'
import { ask } from '../ask.ts'
import { agreed, refuseWithoutAnswer } from '../agreed.ts'
import type { Command, CommandContext, CommandInput } from '../command.ts'
import { ownProgram, ownShellCommand, type OwnProgram } from '../connect-program.ts'
import { connectWishes, type ConnectWishes } from '../connect-wishes.ts'
import { eachClient, type ClientOutcome } from '../each-client.ts'
import {
  connectedToJson,
  describeConnected,
  describeConnectPlan,
  type ToldConnection,
} from '../render/connect-report.ts'
import { serverFiles } from '../server-files.ts'

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

/** What all clients of one command share. */
interface Desk {
  readonly context: CommandContext
  readonly wishes: ConnectWishes
  readonly surroundings: ImportSurroundings
  readonly program: OwnProgram
  /** How an agent types it. */
  readonly shellCommand: string
  /** The `mcp.json` that servers move to, and what stands behind `--config` in the entry. */
  readonly serversFile: string
  readonly configFiles: readonly string[]
  /** The person's own servers, whose variables the entry carries. */
  readonly entries: readonly RawEntry[]
}

async function openDesk(context: CommandContext, wishes: ConnectWishes): Promise<Desk> {
  const { io, flags } = context
  const [files, program, config] = await Promise.all([
    serverFiles(context),
    ownProgram(io, version),
    context.loadConfig(),
  ])
  const isNamed = flags.config.length > 0 || (io.env['CAPSTAN_CONFIG'] ?? '') !== ''
  return {
    context,
    wishes,
    surroundings: { env: io.env, platform: process.platform, home: homeFolder(io.env), cwd: io.cwd },
    program,
    shellCommand: await ownShellCommand(io, program),
    serversFile: files.user,
    configFiles: isNamed ? files.inForce : [],
    // A project may name any variable; what it says must not end up in a file of the person's.
    entries: config.servers.filter(({ origin }) => origin.layer === 'user').map(({ entry }) => entry),
  }
}

interface Target extends ClientText {
  readonly form: 'entry' | 'skill'
}

async function targetsOf(client: ClientId, { wishes, surroundings }: Desk): Promise<readonly Target[]> {
  if (wishes.form === 'entry')
    return (await filesToConnect(client, surroundings)).map((file) => ({ ...file, form: 'entry' }))
  const path = skillFile(client, surroundings)
  if (path === undefined) {
    throw new CapstanError('usage', `${clients[client].title} reads no skills from the disk.`, {
      next: `Give it an entry instead: capstan connect ${client}`,
    })
  }
  const skill: Target = { client, path, text: await readExact(path), form: 'skill' }
  // Only the servers' removal concerns the client's own files then.
  const files = wishes.move === true ? await filesToConnect(client, surroundings) : []
  return [...files.map((file): Target => ({ ...file, form: 'entry' })), skill]
}

async function connect(target: Target, desk: Desk, input: CommandInput): Promise<ClientOutcome> {
  const { context, wishes, serversFile } = desk
  const { io, flags, signal } = context
  const known = await readServerFile(serversFile)
  const first = await plan(target, desk, { known, move: wishes.move === true })
  const move = wishes.move ?? (await wantsToMove(first, context, input))
  const shown = move === (wishes.move === true) ? first : await plan(target, desk, { known, move })
  const told: ToldConnection = {
    plan: shown,
    servers: known.size,
    program: desk.program,
    isAddress: wishes.address !== undefined,
    ...variablesFor(target.client, shown, desk),
  }
  if (!flags.json) await io.out(describeConnectPlan(told, io))
  // A file that is as it should be may still have to be noted as this client's: two read the same skills.
  const mayWrite =
    shown.after === shown.text ? input.values['dry-run'] !== true : await agreed(context, input, 'Write this?')
  if (!mayWrite) return { json: connectedToJson(told, { kind: 'unchanged' }) }
  const connected = await connectFile(
    shown,
    async (text) => await plan({ ...target, text }, desk, { known: await readServerFile(serversFile), move }),
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

async function plan(
  target: Target,
  desk: Desk,
  { known, move }: { readonly known: ReadonlyMap<string, RawEntry>; readonly move: boolean },
): Promise<ConnectPlan> {
  const { form, ...file } = target
  if (form === 'skill') return skillPlan(file, skillText(desk.shellCommand))
  const { io } = desk.context
  const entry = (moving: readonly RawEntry[]): JsonObject => entryFor(file.client, moving, desk)
  const wish: ConnectWish = { move, known, env: io.env, ...(desk.wishes.form === 'entry' ? { entry } : {}) }
  return await planConnect(file, wish)
}

function skillPlan(file: ClientText, after: string): ConnectPlan {
  const nothing = { replaced: [], moves: [], movable: [], staying: [], twice: [] }
  return { ...file, form: 'skill', after, ...nothing, isSwitchedOff: false }
}

function entryFor(client: ClientId, moving: readonly RawEntry[], desk: Desk): JsonObject {
  const { wishes, program, configFiles } = desk
  if (wishes.address !== undefined) {
    const entry = gatewayEntry(client, { kind: 'address', ...wishes.address })
    if (entry !== undefined) return entry
    throw new CapstanError('usage', `${clients[client].title} takes no address in its file, only programs.`, {
      next: `Leave out --http: capstan connect ${client}`,
    })
  }
  const args = [
    ...program.args,
    ...configFiles.flatMap((file) => ['--config', file]),
    'serve',
    '--mode',
    wishes.mode ?? modeFor(client),
  ]
  const { env } = carried(client, moving, desk)
  const entry = gatewayEntry(client, { kind: 'program', command: program.command, args, env })
  if (entry === undefined) throw new Error(`${client} takes no program`)
  return entry
}

function carried(client: ClientId, moving: readonly RawEntry[], { wishes, entries, context }: Desk) {
  return carriedVariables(client, wishes.carriesVariables ? [...entries, ...moving] : [], context.io.env)
}

/** What is to be said about the variables in the entry. */
function variablesFor(client: ClientId, { entry, moves }: ConnectPlan, desk: Desk) {
  if (entry === undefined || desk.wishes.address !== undefined) return { variables: [], changedByClient: [] }
  const moving = moves.map(({ copy }) => copy.row.entry)
  const { env, changedByClient } = carried(client, moving, desk)
  return { variables: Object.entries(env), changedByClient }
}
