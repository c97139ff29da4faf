import type { DisconnectPlan } from '../../config/connect/plan-disconnect.ts'
import { clients } from '../../config/import/clients.ts'
import type { Io } from '../command.ts'
import { fileDifference, plainDifference } from './file-difference.ts'
import { styleFor } from './style.ts'

/** What would be taken back, for a person. No secret is shown. */
export function describeDisconnectPlan(plan: DisconnectPlan, io: Io): string {
  const { path, client } = plan.connection
  const lines = [
    `${styleFor(io).heading(clients[client].title)}: ${path}`,
    howItGoes(plan),
    ...plan.notRestored.map(({ name, reason }) => `${name}: does not come back, because ${reason}.`),
    ...plan.leaving.map(({ to }) => `${to.name}: leaves Capstan.`),
    ...plan.kept.map(
      ({ name, reason }) => `${name}: stays in Capstan, because ${reason}. To remove it: capstan remove ${name}`,
    ),
  ]
  return `${lines.join('\n')}\n${fileDifference(plan.text, plan.after, io)}`
}

function howItGoes({ how, after, removed, restored, text }: DisconnectPlan): string {
  switch (how) {
    case 'exact':
      return after === undefined
        ? 'It did not exist before, and goes.'
        : 'Nobody has changed it since: it becomes what it was, byte for byte.'
    case 'edited':
      return [
        'It was changed since, so the rest of it stays as it is.',
        ...(removed === undefined ? [] : [`"${removed}" goes.`]),
        ...(restored.length === 0 ? [] : [`These come back: ${restored.join(', ')}.`]),
      ].join(' ')
    case 'done':
      return text === undefined
        ? 'The file is gone; there is nothing to take back.'
        : 'Nothing of Capstan is in it any more.'
    case 'shared':
      return 'Another client that is connected reads this file too, so it stays.'
    case 'left':
      return 'It was rewritten since, so it stays. Delete it yourself if you do not need it.'
    default:
      return how satisfies never
  }
}

/** What was done, for a person. */
export function describeDisconnected({ connection, how }: DisconnectPlan): string {
  const { before, client } = connection
  const hint = how === 'edited' && before.kind === 'text' ? ` The file from before is kept: ${before.backup}` : ''
  return `Disconnected ${clients[client].title}.${hint}\n`
}

/** The same for a program. */
export function disconnectedToJson(plan: DisconnectPlan, { isDone }: { readonly isDone: boolean }): object {
  const { client, path } = plan.connection
  return {
    client,
    file: path,
    done: isDone,
    how: plan.how,
    ...(plan.removed === undefined ? {} : { removed: plan.removed }),
    restored: plan.restored,
    notRestored: plan.notRestored,
    leftCapstan: plan.leaving.map(({ to }) => to.name),
    keptInCapstan: plan.kept,
    difference: plainDifference(plan.text, plan.after),
  }
}
