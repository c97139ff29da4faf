import { CapstanError } from '../errors.ts'
import type { Answer, Catalogue, OnAsk } from '../hub/api.ts'
import { resultParts } from './content-parts.ts'
import { runOwnTool } from './own-tools.ts'
import { askPermission } from './ask-permission.ts'
import type { CallEnd, CallResult, ContentPart } from './record.ts'
import { interruptedText, type CallPart } from './repair-history.ts'
import type { CallState } from './session.ts'
import type { CallTarget, Toolbox } from './toolbox.ts'
import type { TurnWorld } from './turn-world.ts'

export interface CallsOutcome {
  /** The labels of tools that were not allowed to run. */
  readonly refusals: readonly string[]
  /** Whether not a single call could be made sense of. */
  readonly isAllWrong: boolean
}

export interface CallsInput {
  readonly calls: readonly CallPart[]
  readonly toolbox: Toolbox
  readonly catalogue: Catalogue
}

/** Runs the calls of one reply side by side. Each result enters the conversation as it comes. */
export async function runCalls({ calls, toolbox, catalogue }: CallsInput, world: TurnWorld): Promise<CallsOutcome> {
  const ended = await Promise.all(
    calls.map(async (call) => {
      const target = toolbox.find(call)
      const { end, parts, sinceMs } = await runCall({ call, target, catalogue }, world)
      const ms = sinceMs === undefined ? 0 : world.clock.now() - sinceMs
      const result: CallResult = {
        kind: 'result',
        atMs: world.clock.now(),
        callId: call.callId,
        name: call.name,
        end,
        parts,
        ms,
      }
      await world.append(result)
      show(call, target, { kind: 'ended', end, parts, ms }, world)
      return { target, end, label: labelOf(call, target) }
    }),
  )
  return {
    refusals: ended.filter(({ end }) => end === 'refused').map(({ label }) => label),
    isAllWrong: ended.every(({ target }) => target.kind === 'wrong'),
  }
}

interface OneCall {
  readonly call: CallPart
  readonly target: CallTarget
  readonly catalogue: Catalogue
}

interface Ended {
  readonly end: CallEnd
  readonly parts: readonly ContentPart[]
  /** When it began to run, after whoever had to allow it has done so; absent when it never ran. */
  readonly sinceMs?: number
}

async function runCall({ call, target, catalogue }: OneCall, world: TurnWorld): Promise<Ended> {
  if (target.kind === 'wrong') return ended('failed', `This call did not run: ${target.problem}`)
  const setState = (state: CallState): void => show(call, target, state, world)
  const leave = await askPermission({ call, target, catalogue, onWait: () => setState({ kind: 'waiting' }) }, world)
  if (leave.kind === 'stopped') return ended('interrupted', 'Stopped by the user before it ran.')
  if (leave.kind === 'refused') return ended('refused', leave.reason)
  const sinceMs = world.clock.now()
  setState({ kind: 'processing', sinceMs })
  const onAsk = askFor(call, world)
  try {
    if (target.kind === 'own') {
      const { hub, signal } = world
      const own = await runOwnTool(target.name, target.args, { hub, catalogue, signal, ...onAsk, ...leave.exec })
      return { ...own, sinceMs }
    }
    const result = await world.hub.call(target.tool, target.args, {
      signal: world.signal,
      onProgress: (progress) => setState({ kind: 'processing', sinceMs, progress }),
      ...onAsk,
    })
    return { end: result.isError === true ? 'failed' : 'done', parts: resultParts(result), sinceMs }
  } catch (error) {
    return { ...endedBy(error, world.signal), sinceMs }
  }
}

function endedBy(error: unknown, signal: AbortSignal): Ended {
  if (signal.aborted) return ended('interrupted', interruptedText)
  if (!(error instanceof CapstanError)) throw error
  if (error.code === 'outcome_unknown') return ended('interrupted', `${error.message} ${interruptedText}`)
  if (error.code === 'not_allowed' || error.code === 'not_trusted') return ended('refused', error.message)
  return ended('failed', error.message)
}

/** What a server asks in the middle of a call goes to the person, where there is one. */
function askFor({ callId }: CallPart, { asks, settings }: TurnWorld): { readonly onAsk?: OnAsk } {
  if (!settings.mayAsk) return {}
  const onAsk: OnAsk = async (ask, { signal }): Promise<Answer> => {
    // A model's answer on a server's behalf is not the person's to write.
    if (ask.kind === 'sampling') return { action: 'decline', reason: 'The session answers no sampling requests.' }
    const answer = await asks.ask({ kind: 'server', callId, ask }, { signal })
    return answer?.kind === 'server' ? answer.answer : { action: 'cancel' }
  }
  return { onAsk }
}

function show(call: CallPart, target: CallTarget, state: CallState, { emit }: TurnWorld): void {
  const input = target.kind === 'server' ? ({ kind: 'json', value: target.args } as const) : call.input
  emit({ kind: 'call', call: { callId: call.callId, label: labelOf(call, target), input, state } })
}

function labelOf(call: CallPart, target: CallTarget): string {
  return target.kind === 'server' ? target.tool.id : call.name
}

function ended(end: CallEnd, text: string): Ended {
  return { end, parts: [{ kind: 'text', text }] }
}
