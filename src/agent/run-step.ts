import type { ErrorJson } from '../errors.ts'
import { collectReply, type ReplyCollector } from './collect-reply.ts'
import type { StepFailure, StepPart, StepRequest } from './model.ts'
import type { Reply } from './record.ts'
import { howToSetModel } from './choose-model.ts'
import type { TurnWorld } from './turn-world.ts'

export type StepOutcome =
  | { readonly kind: 'reply'; readonly reply: Reply }
  /** What had been written is kept. */
  | { readonly kind: 'stopped'; readonly reply: Reply }
  | { readonly kind: 'failed'; readonly error: ErrorJson; readonly reply: Reply }
  | { readonly kind: 'no_tools' }

const mostTries = 5
/** Where nobody is at all, patience seldom helps. */
const triesWhereNobodyIs = 3
/** A provider that asks for more patience than this is not waited for. */
const longestWaitMs = 60_000

/** One reply of the model. A step has no effects, so one that failed is tried again, with growing pauses. */
export async function runStep(request: StepRequest, world: TurnWorld): Promise<StepOutcome> {
  let emptyReplies = 0
  for (let tries = 1; ; tries += 1) {
    const shown = { isAnything: false }
    const collector = collectReply({ model: world.model().id, now: world.clock.now, usedIds: idsIn(world) })
    const last = await stream(request, collector, {
      ...world,
      emit: (event) => {
        shown.isAnything = true
        world.emit(event)
      },
    })
    if (last?.kind !== 'end' && last?.kind !== 'failed') return { kind: 'stopped', reply: collector.reply('stopped') }
    if (last.kind === 'end') {
      if (!collector.isEmpty() || last.end === 'filtered') return finish(collector, last, world)
      emptyReplies += 1
      if (emptyReplies > 1) return { kind: 'failed', error: emptyError, reply: collector.reply('other') }
      world.notice({
        level: 'warning',
        code: 'reply_empty',
        text: 'The model answered nothing; it is asked once more.',
      })
      continue
    }
    const { failure } = last
    if (failure.kind === 'no_tools' && world.model().tools === 'native' && request.tools.length > 0)
      return { kind: 'no_tools' }
    const waitMs = tries < triesFor(failure) ? pauseFor(failure, tries) : undefined
    if (waitMs === undefined) return fail(failure, collector, world)
    if (shown.isAnything) world.emit({ kind: 'reply_restarts' })
    await pause({ failure, waitMs, tries }, world)
    if (world.signal.aborted) return { kind: 'stopped', reply: collector.reply('stopped') }
  }
}

async function stream(
  request: StepRequest,
  collector: ReplyCollector,
  world: TurnWorld,
): Promise<StepPart | undefined> {
  let last: StepPart | undefined
  for await (const part of world.model().step(request, { signal: world.signal })) {
    collector.add(part)
    show(part, collector, world)
    last = part
  }
  return world.signal.aborted ? undefined : last
}

function show(part: StepPart, collector: ReplyCollector, { emit, notice }: TurnWorld): void {
  if (part.kind === 'text' && part.text !== '') emit({ kind: 'text', text: part.text })
  if (part.kind === 'thinking' && part.text !== '') emit({ kind: 'thinking', text: part.text })
  if (part.kind === 'warning') notice({ level: 'warning', code: 'not_taken', text: part.message })
  if (part.kind === 'call_begins') {
    emit({ kind: 'call', call: { callId: collector.idOf(part.callId), label: part.name, state: { kind: 'pending' } } })
  }
}

function finish(
  collector: ReplyCollector,
  { end, usage }: Extract<StepPart, { kind: 'end' }>,
  world: TurnWorld,
): StepOutcome {
  if (end === 'length') {
    const text = 'The reply reached the longest that the model may write, and ends there.'
    world.notice({ level: 'warning', code: 'reply_too_long', text, next: 'Ask it to go on.' })
  }
  if (end === 'filtered') {
    const text = 'The provider held the reply back, by its own rules.'
    world.notice({ level: 'warning', code: 'reply_filtered', text })
  }
  return { kind: 'reply', reply: collector.reply(end, usage) }
}

function triesFor(failure: StepFailure): number {
  return failure.kind === 'unavailable' && failure.isUnreachable === true ? triesWhereNobodyIs : mostTries
}

/** How long to wait before the next try; undefined when there is no point in one. */
function pauseFor(failure: StepFailure, tries: number): number | undefined {
  if (failure.kind !== 'unavailable' && failure.kind !== 'cut') return undefined
  const asked = failure.kind === 'unavailable' ? failure.retryAfterMs : undefined
  if (asked !== undefined) return asked <= longestWaitMs ? asked : undefined
  return 1000 * 2 ** (tries - 1) * (0.75 + Math.random() / 2)
}

async function pause(
  { failure, waitMs, tries }: { readonly failure: StepFailure; readonly waitMs: number; readonly tries: number },
  world: TurnWorld,
): Promise<void> {
  const what = failure.kind === 'cut' ? 'The reply broke off' : 'The provider does not answer'
  const text = `${what} (${failure.message}); next try in ${Math.ceil(waitMs / 1000)} s, number ${tries + 1} of ${triesFor(failure)}.`
  world.notice({ level: 'warning', code: 'retrying', text })
  await world.clock.sleep(waitMs, world.signal)
}

function fail(failure: StepFailure, collector: ReplyCollector, world: TurnWorld): StepOutcome {
  const reply = collector.reply('cut')
  if (failure.kind === 'overflow') {
    const next = 'Shorten it with /compact, or begin a new one.'
    const text = `The conversation is longer than ${world.model().id} can take.`
    world.notice({ level: 'error', code: 'context_full', text, next })
    return { kind: 'failed', reply, error: { code: 'context_full', message: `${text} (${failure.message})`, next } }
  }
  if (failure.kind === 'rejected' || failure.kind === 'no_tools') {
    const next = 'Check the key and the name of the model. ' + howToSetModel
    return {
      kind: 'failed',
      reply,
      error: { code: 'model_refused', message: `${world.model().id}: ${failure.message}`, next },
    }
  }
  if (reply.parts.length > 0) {
    const text = 'The reply broke off again and again. What has come is kept.'
    world.notice({ level: 'error', code: 'reply_cut', text, next: 'Send another message to go on from there.' })
  }
  const message = `${world.model().id} does not answer: ${failure.message}`
  return {
    kind: 'failed',
    reply,
    error: { code: 'model_unavailable', message, next: 'Try again later, or use another model.' },
  }
}

const emptyError: ErrorJson = {
  code: 'model_unavailable',
  message: 'The model answered nothing, twice.',
  next: 'Ask in other words, or use another model.',
}

function idsIn({ entries }: TurnWorld): ReadonlySet<string> {
  const parts = entries().flatMap((entry) => (entry.kind === 'reply' ? entry.parts : []))
  return new Set(parts.flatMap((part) => (part.kind === 'call' ? [part.callId] : [])))
}
