import { CapstanError, unreachable } from '../../errors.ts'
import type { ControlAction, ServerState, ServerStatus } from '../../hub/api.ts'
import { closest } from '../../hub/catalogue/names.ts'
import { valueOf, type Command, type CommandArguments, type RunOptions } from '../command.ts'
import { notice, printed, text, type Block, type Outcome } from '../outcome.ts'
import type { Workings } from '../workings.ts'
import { actionSlot, argument, completeFrom, takes } from './arguments.ts'
import { waiting } from './look-commands.ts'

const actions = {
  restart: 'Start it anew',
  enable: 'Use it again, until this hub ends',
  disable: 'Leave it out, until this hub ends',
  login: 'Log in to it',
  logout: 'Forget its login',
  logs: 'Show the end of its log',
} as const

type Action = keyof typeof actions

/** `/servers`, `/servers NAME`, `/servers ACTION NAME`. */
export function serverCommand(workings: Workings): Command {
  return {
    key: 'builtin:servers',
    kind: 'builtin',
    name: 'servers',
    summary: 'Show the servers and how they stand, or do something with one',
    usage: `[NAME] | ${Object.keys(actions).join('|')} NAME`,
    declare: (first) => declare(first, workings),
    run: async (input, options) => {
      const first = valueOf(input, 'action')
      const statuses = await workings.context.hub.servers(waiting(options))
      if (first === undefined) return printed(...overview(statuses))
      if (!isAction(first)) return printed(...about(find(statuses, first)))
      const { name } = find(statuses, valueOf(input, 'server') ?? '')
      return first === 'logs'
        ? showLogs(workings, name, options)
        : control(workings, name, { action: first, ...options })
    },
  }
}

function declare(first: string, { catalogue }: Workings): CommandArguments {
  const names = completeFrom(() =>
    catalogue.statuses().map(({ name, state }) => ({ value: name, detail: stateText(state) })),
  )
  const action = actionSlot(actions, names)
  if (!isAction(first)) return takes({ ...action, takesRest: false })
  return takes(
    action,
    argument('server', { description: 'A server', required: true, complete: names, takesRest: false }),
  )
}

function isAction(word: string): word is Action {
  return Object.hasOwn(actions, word)
}

function find(statuses: readonly ServerStatus[], name: string): ServerStatus {
  const found = statuses.find((status) => status.name === name)
  if (found !== undefined) return found
  const names = statuses.map((status) => status.name)
  throw new CapstanError('server_unknown', `There is no server "${name}".${closest(name, names)}`)
}

async function control(
  { context: { hub }, catalogue }: Workings,
  name: string,
  { action, onAsk, ...options }: RunOptions & { readonly action: ControlAction },
): Promise<Outcome> {
  await hub.control(name, action, { ...waiting(options), ...(onAsk === undefined ? {} : { onAsk }) })
  await catalogue.refresh({ servers: [name], ...waiting(options) })
  const status = catalogue.statuses().find((other) => other.name === name)
  const state = status === undefined ? 'gone' : stateText(status.state)
  return printed(text(`${name}: ${action} done, now ${state}.`))
}

async function showLogs({ context: { hub } }: Workings, name: string, options: RunOptions): Promise<Outcome> {
  const lines = await hub.logs(name, waiting(options))
  if (lines.length === 0) return printed(notice(`${name} has logged nothing.`))
  return printed(
    text(
      lines
        .slice(-mostLogLines)
        .map((line) => `${line.source}  ${line.text}`)
        .join('\n'),
    ),
  )
}

const mostLogLines = 50

function overview(statuses: readonly ServerStatus[]): readonly Block[] {
  if (statuses.length === 0)
    return [
      notice('No servers are configured. Leave with /exit and run: capstan add NAME -- COMMAND, or: capstan import'),
    ]
  const rows = statuses.map(({ name, state, description = '' }) => [
    name,
    stateText(state),
    reasonOf(state) ?? description,
  ])
  return [{ kind: 'table', columns: ['Server', 'State', 'About'], rows }]
}

function about({ name, description, state, stats }: ServerStatus): readonly Block[] {
  const lines = [
    `${name}: ${stateText(state)}`,
    ...(description === undefined ? [] : [description]),
    ...(reasonOf(state) === undefined ? [] : [String(reasonOf(state))]),
    ...(stats === undefined ? [] : [`${stats.calls} calls, ${stats.restarts} restarts`]),
  ]
  const tail = 'stderrTail' in state ? state.stderrTail : []
  const instructions = state.kind === 'ready' ? state.instructions : undefined
  return [
    text(lines.join('\n')),
    ...(tail.length === 0 ? [] : [text(tail.join('\n'))]),
    ...(instructions === undefined ? [] : [text(`It says about itself:\n${instructions}`)]),
  ]
}

function reasonOf(state: ServerState): string | undefined {
  if (!('error' in state)) return undefined
  const { message, next } = state.error
  return next === undefined ? message : `${message} ${next}`
}

/** A server's state in a few words. */
export function stateText(state: ServerState): string {
  switch (state.kind) {
    case 'idle':
      return 'not started'
    case 'connecting':
      return 'connecting'
    case 'ready':
      return 'ready'
    case 'backing_off':
      return `failed ${state.failures === 1 ? 'once' : `${state.failures} times`}, tries again`
    case 'needs_login':
      return 'needs a login'
    case 'disabled':
      return 'disabled'
    case 'untrusted':
      return 'not approved'
    case 'failed':
      return 'failed'
    default:
      return unreachable(state)
  }
}
