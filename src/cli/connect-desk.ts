import { carriedVariables, type CarriedVariables } from '../config/connect/carried-variables.ts'
import { filesToConnect, readExact, type ClientText } from '../config/connect/client-text.ts'
import { gatewayEntry, modeFor } from '../config/connect/gateway-entry.ts'
import { planConnect, type ConnectPlan, type ConnectWish } from '../config/connect/plan-connect.ts'
import { skillFile, skillText } from '../config/connect/skill.ts'
import { clients, type ClientId, type ImportSurroundings } from '../config/import/clients.ts'
import type { RawEntry } from '../config/types.ts'
import { CapstanError } from '../errors.ts'
import { homeFolder } from '../files/places.ts'
import { version } from '../version.ts'
import type { CommandContext } from './command.ts'
import { ownProgram, ownShellCommand, type OwnProgram } from './connect-program.ts'
import type { ConnectWishes } from './connect-wishes.ts'
import type { ToldConnection } from './render/connect-report.ts'
import { serverFiles } from './server-files.ts'
import type { JsonObject } from '../json.ts'

/** What all clients of one command share. */
export interface Desk {
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

/** Looks at what is there; nothing is written. */
export async function openDesk(context: CommandContext, wishes: ConnectWishes): Promise<Desk> {
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

/** A file to work on: for the entry, or the skill itself. */
export interface Target extends ClientText {
  readonly form: 'entry' | 'skill'
}

/** The files of a client that this command is about. */
export async function targetsOf(client: ClientId, { wishes, surroundings }: Desk): Promise<readonly Target[]> {
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

/** What would become of one file. */
export async function planTarget(
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

function carried(client: ClientId, moving: readonly RawEntry[], { wishes, entries, context }: Desk): CarriedVariables {
  return carriedVariables(client, wishes.carriesVariables ? [...entries, ...moving] : [], context.io.env)
}

/** What is to be said about the variables in the entry. */
export function variablesFor(
  { client, entry, moves }: ConnectPlan,
  desk: Desk,
): Pick<ToldConnection, 'variables' | 'changedByClient'> {
  if (entry === undefined || desk.wishes.address !== undefined) return { variables: [], changedByClient: [] }
  const moving = moves.map(({ copy }) => copy.row.entry)
  const { env, changedByClient } = carried(client, moving, desk)
  return { variables: Object.entries(env), changedByClient }
}
