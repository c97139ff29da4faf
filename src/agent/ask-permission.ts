import type { Catalogue, ToolEntry } from '../hub/api.ts'
import type { CallPart } from './repair-history.ts'
import type { SessionAnswer } from './session.ts'
import { toolHints } from './tool-hints.ts'
import type { CallTarget } from './toolbox.ts'
import type { TurnWorld } from './turn-world.ts'

export type Leave =
  | { readonly kind: 'given'; readonly exec?: { readonly execAllow: readonly string[] } }
  /** The reason is for the model. */
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'stopped' }

export interface PermissionQuestion {
  readonly call: CallPart
  readonly target: Exclude<CallTarget, { kind: 'wrong' }>
  readonly catalogue: Catalogue
  /** Called before a person is asked. */
  readonly onWait: () => void
}

/** Whether a call may run: by what is allowed already, else by asking the person, else not. */
export async function askPermission(
  { call, target, catalogue, onWait }: PermissionQuestion,
  world: TurnWorld,
): Promise<Leave> {
  if (target.kind === 'own') {
    return target.name === 'exec' ? await leaveForExec({ call, target, catalogue, onWait }, world) : { kind: 'given' }
  }
  const { permissions, settings, asks, signal } = world
  const { tool } = target
  const verdict = permissions.judge(tool)
  if (verdict.kind === 'allowed') return { kind: 'given' }
  if (verdict.kind === 'denied') return { kind: 'refused', reason: `The tool ${tool.id} is not allowed to run.` }
  if (!settings.mayAsk) {
    return { kind: 'refused', reason: `The tool ${tool.id} has not been allowed, and nobody is there to ask.` }
  }
  onWait()
  const answer = await asks.ask(
    {
      kind: 'permission',
      callId: call.callId,
      label: tool.id,
      tool,
      input: target.args,
      hints: toolHints(tool),
      isChanged: verdict.wasAllowed,
      choices: ['once', 'session', 'always-tool', 'always-server', 'no'],
    },
    { signal, settle: () => (permissions.judge(tool).kind === 'allowed' ? yes : undefined) },
  )
  return await apply(answer, tool, world)
}

const yes: SessionAnswer = { kind: 'permission', choice: 'once' }

async function apply(answer: SessionAnswer | undefined, tool: ToolEntry, world: TurnWorld): Promise<Leave> {
  if (answer?.kind !== 'permission') return { kind: 'stopped' }
  if (answer.choice === 'no') return refusedByPerson(answer.reason)
  if (answer.choice !== 'once') {
    await world.permissions.grant(tool, answer.choice)
    world.asks.review()
  }
  return { kind: 'given' }
}

/** A snippet is shown to the person, who allows it with all that it calls. Where nobody is, it can call what is allowed anyway. */
async function leaveForExec({ call, target, catalogue, onWait }: PermissionQuestion, world: TurnWorld): Promise<Leave> {
  const { permissions, settings, asks, signal } = world
  const allowed = catalogue.tools.filter((tool) => permissions.judge(tool).kind === 'allowed')
  if (!settings.mayAsk) {
    if (allowed.length > 0) return { kind: 'given', exec: { execAllow: allowed.map(({ id }) => id) } }
    return { kind: 'refused', reason: 'No tool has been allowed, and nobody is there to ask.' }
  }
  onWait()
  const answer = await asks.ask(
    {
      kind: 'permission',
      callId: call.callId,
      label: 'exec',
      input: target.args,
      hints: ['runs code that may call every tool that is not denied'],
      isChanged: false,
      choices: ['once', 'no'],
    },
    { signal },
  )
  if (answer?.kind !== 'permission') return { kind: 'stopped' }
  return answer.choice === 'no' ? refusedByPerson(answer.reason) : { kind: 'given' }
}

function refusedByPerson(reason: string | undefined): Leave {
  const why = reason === undefined || reason.trim() === '' ? '' : ` They say: ${reason.trim()}`
  return { kind: 'refused', reason: `The user does not want this call.${why}` }
}
