import { CapstanError } from '../../errors.ts'
import type { PermissionView, QueueEntry } from '../../agent/session.ts'
import { closest } from '../../hub/catalogue/names.ts'
import { valueOf, type Command, type CommandArguments, type CommandInput } from '../command.ts'
import { notice, printed, text, type Outcome } from '../outcome.ts'
import type { Workings } from '../workings.ts'
import { actionSlot, argument, completeFrom, takes, takesNothing } from './arguments.ts'

/** What concerns the session at hand: its model, its permissions, what waits for its turn. */
export function sessionCommands(workings: Workings): readonly Command[] {
  return [modelCommand(workings), permissionsCommand(workings), queueCommand(workings), compactCommand()]
}

function modelCommand({ context: { models, session } }: Workings): Command {
  const known = async () =>
    (await models.list()).map(({ id, detail }) => ({ value: id, ...(detail === undefined ? {} : { detail }) }))
  return {
    key: 'builtin:model',
    kind: 'builtin',
    name: 'model',
    summary: 'Show the model, or use another one',
    declare: () => takes(argument('model', { description: 'provider/name', complete: completeFrom(known) })),
    run: async (input) => {
      const id = valueOf(input, 'model')
      if (id === undefined) return describeModels(session().status().model, await models.list())
      await models.use(id)
      return printed(text(`The model is now ${session().status().model ?? id}.`))
    },
  }
}

function describeModels(
  current: string | undefined,
  known: readonly { readonly id: string; readonly detail?: string }[],
): Outcome {
  const now =
    current === undefined
      ? notice('There is no model. Name one with /model, or set CAPSTAN_MODEL; everything but answers works without.')
      : text(`The model is ${current}.`)
  if (known.length === 0) return printed(now)
  const rows = known.map(({ id, detail = '' }) => [id, id === current ? 'in use' : '', detail])
  return printed(now, { kind: 'table', columns: ['Model', '', 'About'], rows })
}

function permissionsCommand({ context: { session } }: Workings): Command {
  const held = () => session().permissions()
  const ids = completeFrom(() => held().map((view) => ({ value: view.id, detail: describePermission(view) })))
  const declare = (first: string): CommandArguments => {
    const action = { ...actionSlot({ revoke: 'Ask again before it is used' }), takesRest: false }
    return first === 'revoke'
      ? takes(action, argument('permission', { description: 'Its id', required: true, complete: ids }))
      : takes(action)
  }
  return {
    key: 'builtin:permissions',
    kind: 'builtin',
    name: 'permissions',
    summary: 'Show what runs unasked, or take a permission back',
    usage: '[revoke ID]',
    declare,
    run: async (input) => {
      if (actionOf(input, ['revoke']) === undefined) return listPermissions(held())
      const id = valueOf(input, 'permission') ?? ''
      const view = held().find((other) => other.id === id) ?? unknownId('permission', id, held())
      await session().revoke(view.id)
      return printed(text(`Taken back: ${describePermission(view)}.`))
    },
  }
}

function listPermissions(views: readonly PermissionView[]): Outcome {
  if (views.length === 0) return printed(notice('Nothing runs unasked besides what your config allows (alwaysAllow).'))
  const rows = views.map((view) => [view.id, view.server, view.tool ?? 'all tools', scopeText(view)])
  return printed({ kind: 'table', columns: ['Id', 'Server', 'Tool', 'Holds'], rows })
}

function describePermission(view: PermissionView): string {
  return `${view.tool === undefined ? `all tools of ${view.server}` : `${view.server}.${view.tool}`} ${scopeText(view)}`
}

function scopeText({ scope }: PermissionView): string {
  return scope === 'session' ? 'for this session' : 'in this project'
}

const queueActions = {
  remove: 'Take one out',
  clear: 'Take all out',
  resume: 'Go on after a stop',
}

function queueCommand({ context: { session } }: Workings): Command {
  const entries = () => session().queue.entries()
  const places = completeFrom(() => entries().map(({ text: detail }, index) => ({ value: String(index + 1), detail })))
  const declare = (first: string): CommandArguments => {
    const action = { ...actionSlot(queueActions), takesRest: false }
    return first === 'remove'
      ? takes(action, argument('place', { description: 'Its number', required: true, complete: places }))
      : takes(action)
  }
  return {
    key: 'builtin:queue',
    kind: 'builtin',
    name: 'queue',
    summary: 'Show what waits for its turn, or change it',
    usage: '[remove N | clear | resume]',
    declare,
    run: async (input) => {
      const action = actionOf(input, Object.keys(queueActions))
      if (action === 'resume') {
        session().queue.resume()
        return printed(text('The queue goes on.'))
      }
      if (action === undefined) return listQueue(entries())
      const gone = action === 'clear' ? entries() : [placeIn(entries(), valueOf(input, 'place') ?? '')]
      for (const { id } of gone) session().queue.take(id)
      return printed(text(`Taken out: ${gone.length}. Waiting: ${entries().length}.`))
    },
  }
}

function placeIn(entries: readonly QueueEntry[], place: string): QueueEntry {
  const found = /^\d+$/.test(place) ? entries[Number(place) - 1] : undefined
  if (found !== undefined) return found
  throw new CapstanError('usage', `There is no number ${place} in the queue; it holds ${entries.length}.`, {
    next: 'Type /queue to see it.',
  })
}

function listQueue(entries: readonly QueueEntry[]): Outcome {
  if (entries.length === 0) return printed(notice('Nothing waits.'))
  const rows = entries.map((entry, index) => [String(index + 1), entry.text])
  return printed({ kind: 'table', columns: ['', 'Waiting'], rows })
}

function compactCommand(): Command {
  return {
    key: 'builtin:compact',
    kind: 'builtin',
    name: 'compact',
    summary: 'Let the model sum up the conversation, to make room',
    declare: takesNothing,
    run: async () => ({ kind: 'session', action: { kind: 'compact' } }),
  }
}

/** The action that was typed; a word that is none is a slip. */
function actionOf(input: CommandInput, actions: readonly string[]): string | undefined {
  const word = valueOf(input, 'action')
  if (word === undefined || actions.includes(word)) return word
  throw new CapstanError('usage', `"${word}" is not one of ${actions.join(', ')}.${closest(word, actions)}`)
}

function unknownId(what: string, id: string, known: readonly { readonly id: string }[]): never {
  const near = closest(
    id,
    known.map((other) => other.id),
  )
  throw new CapstanError('usage', `There is no ${what} "${id}".${near}`)
}
