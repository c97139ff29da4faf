import type { Connected } from '../../config/connect/connect-file.ts'
import type { ConnectPlan, PlannedMove } from '../../config/connect/plan-connect.ts'
import { clients } from '../../config/import/clients.ts'
import { looksSecret } from '../../policy/secrets.ts'
import type { Io } from '../command.ts'
import type { OwnProgram } from '../connect-program.ts'
import { fileDifference, plainDifference } from './file-difference.ts'
import { styleFor } from './style.ts'

export interface ToldConnection {
  readonly plan: ConnectPlan
  /** How many servers Capstan has before. */
  readonly servers: number
  readonly program: OwnProgram
  readonly isAddress: boolean
  /** The variables in the entry. */
  readonly variables: readonly (readonly [name: string, value: string])[]
  /** Variables that are left out, because the client would change their values. */
  readonly changedByClient: readonly string[]
}

/** What would be done, for a person. No secret is shown. */
export function describeConnectPlan(told: ToldConnection, io: Io): string {
  const { plan } = told
  const { title } = clients[plan.client]
  const style = styleFor(io)
  if (plan.after === plan.text) return `${style.heading(title)}: ${plan.path} is as it should be; nothing to change.\n`
  const notes = notesOn(told).map((note) => `${note}\n`)
  const moves = plan.moves.map((move) => `${describeMove(move)}\n`)
  const difference = fileDifference(plan.text, plan.after, io)
  return [`${style.heading(title)}: ${plan.path}\n`, difference, ...moves, ...notes].join('')
}

function describeMove({ from, copy }: PlannedMove): string {
  const names = from.map(({ name }) => name).join(', ')
  if (copy.kind === 'present') return `${names}: is in Capstan already, as ${copy.name}.`
  const unset = copy.row.notes.flatMap((note) => (note.kind === 'unset-variables' ? note.variables : []))
  const needs = unset.length === 0 ? '' : ` It needs ${unset.join(', ')}, not set here.`
  return `${names}: moves to Capstan${names === copy.name ? '' : `, as ${copy.name}`}.${needs}`
}

function notesOn({ plan, servers, program, isAddress, variables, changedByClient }: ToldConnection): readonly string[] {
  const { title } = clients[plan.client]
  const secrets = variables.filter(([name, value]) => looksSecret(name, value)).map(([name]) => name)
  const isProgram = plan.entry !== undefined && !isAddress
  return [
    ...plan.staying.map(({ name, reason }) => `${name}: stays in ${title}, because ${reason}.`),
    ...(plan.twice.length === 0 || plan.entry === undefined
      ? []
      : [
          `Warning: each tool of ${plan.twice.join(', ')} will appear twice in ${title}, because Capstan has these servers too. To move them: --move`,
        ]),
    ...(plan.isSwitchedOff
      ? [
          `Warning: the lists "mcp.allowed" and "mcp.excluded" in ${plan.path} keep ${title} from using "${plan.entry?.name}".`,
        ]
      : []),
    ...(secrets.length === 0
      ? []
      : [`Written there in plain text: ${secrets.join(', ')}. To leave them out: --no-variables`]),
    ...(changedByClient.length === 0
      ? []
      : [`Left out, because ${title} would change the value: ${changedByClient.join(', ')}.`]),
    ...(isProgram && program.isTemporary
      ? [
          'The entry runs Capstan through npx, which is slow to start. Install Capstan for good, then connect again, and it is quick.',
        ]
      : []),
    ...(servers === 0 && plan.moves.length === 0 && !isAddress
      ? ['Capstan has no servers yet. To bring in those of all clients: capstan import --all']
      : []),
  ]
}

/** What was done, for a person. */
export function describeConnected({ plan }: ToldConnection, connected: Connected): string {
  if (connected.kind === 'unchanged') return `${plan.path} is as it should be; nothing was changed.\n`
  const { title } = clients[plan.client]
  const { before } = connected.connection
  const what = plan.form === 'skill' ? 'the skill' : plan.entry === undefined ? 'nothing more' : `"${plan.entry.name}"`
  return [
    `Wrote ${plan.path}: ${title} now has ${what}.\n`,
    ...(before.kind === 'text' ? [`The file as it was: ${before.backup}\n`] : []),
    `Next: restart ${title}. To undo: capstan disconnect ${plan.client}\n`,
  ].join('')
}

/** The same for a program. */
export function connectedToJson(told: ToldConnection, connected: Connected): object {
  const { plan, variables, changedByClient } = told
  const before = connected.kind === 'written' ? connected.connection.before : undefined
  return {
    client: plan.client,
    file: plan.path,
    form: plan.form,
    written: connected.kind === 'written',
    ...(plan.entry === undefined ? {} : { entry: plan.entry.name }),
    moved: plan.moves.flatMap(({ from, copy }) => from.map(({ name }) => ({ from: name, to: copy.name }))),
    staying: plan.staying,
    twice: plan.twice,
    variables: variables.map(([name]) => name),
    ...(changedByClient.length === 0 ? {} : { changedByClient }),
    ...(plan.isSwitchedOff ? { switchedOff: true } : {}),
    difference: plainDifference(plan.text, plan.after),
    ...(before?.kind === 'text' ? { backup: before.backup } : {}),
  }
}
