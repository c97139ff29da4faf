import type { WaitingAsk } from '../daemon/ask-inbox.ts'
import type { DialledHub } from '../daemon/dial.ts'
import { CapstanError } from '../errors.ts'
import type { Answer, Ask } from '../hub/api.ts'
import { formFields, readForm } from '../hub/asks/form-fields.ts'
import { answerByPerson } from './answer-ask.ts'
import { readAnswers } from './answering-asks.ts'
import type { CommandContext, CommandInput } from './command.ts'
import { dialRunning, wantsDaemon, type DaemonSetup } from './daemon-hub.ts'
import { plainLine } from '../policy/plain-text.ts'
import { askLine } from './render/ask.ts'
import { ageOf } from './render/numbers.ts'

/** The questions that wait at the daemon; none where no daemon runs. */
export interface Inbox extends AsyncDisposable {
  readonly waiting: () => Promise<readonly WaitingAsk[]>
  /** False when the question is not there any more. */
  readonly answer: (id: string, answer: Answer) => Promise<boolean>
}

export async function openInbox({ io, flags, signal }: CommandContext): Promise<Inbox> {
  const hub = wantsDaemon(io, flags) ? await dialOrNone({ io, flags, signal }) : undefined
  return {
    waiting: async () => (hub === undefined ? [] : waitingAt(hub)),
    answer: async (id, answer) => (await hub?.ask('daemon/answer', { id, answer })) === true,
    async [Symbol.asyncDispose]() {
      await hub?.[Symbol.asyncDispose]()
    },
  }
}

/** A daemon that cannot be asked, because it is of an older version or cannot read the config, keeps no question of ours. */
async function dialOrNone(setup: DaemonSetup): Promise<DialledHub | undefined> {
  let hub: DialledHub | undefined
  try {
    hub = await dialRunning(setup)
    if (hub !== undefined) await waitingAt(hub)
    return hub
  } catch (error) {
    await hub?.[Symbol.asyncDispose]()
    if (error instanceof CapstanError && !setup.signal.aborted) return undefined
    throw error
  }
}

async function waitingAt(hub: DialledHub): Promise<readonly WaitingAsk[]> {
  return (await hub.ask('daemon/asks')) as readonly WaitingAsk[]
}

/** Answers the question that the command line names, with what it says; undefined when it names none. */
export async function answerByName(
  inbox: Inbox,
  { positionals, values }: CommandInput,
): Promise<readonly string[] | undefined> {
  const answers = readAnswers(values['answer'])
  const ids = positionals.filter((word) => word.startsWith('ask:'))
  const isDeclined = values['decline'] === true
  if (ids.length === 0 && answers.size === 0 && !isDeclined) return undefined
  if (ids.length < positionals.length || values['all'] === true)
    throw new CapstanError('usage', 'Approve servers and answer questions in two commands.')
  if (answers.size > 0 === isDeclined)
    throw new CapstanError('usage', 'A question wants either --answer FIELD=VALUE or --decline.', {
      next: 'Run: capstan review',
    })
  const { id, ask } = theOne(ids, await inbox.waiting())
  await send(inbox, id, isDeclined ? { action: 'decline' } : answerFrom(ask, answers))
  return [id]
}

function theOne([id, another]: readonly string[], waiting: readonly WaitingAsk[]): WaitingAsk {
  const [first, second] = id === undefined ? waiting : waiting.filter((one) => one.id === id)
  const next = 'Run: capstan review'
  if (another !== undefined || second !== undefined)
    throw new CapstanError('usage', 'One question is answered at a time: name it, as in ask:1.', { next })
  if (first !== undefined) return first
  throw new CapstanError('usage', id === undefined ? 'No question waits.' : gone(id), { next })
}

function answerFrom(ask: Ask, answers: ReadonlyMap<string, string>): Answer {
  if (ask.kind !== 'form')
    throw new CapstanError('usage', 'This question has no form to fill in, but a page to visit.', {
      next: 'Run capstan review on a terminal, or decline it with --decline.',
    })
  const fields = formFields(ask.schema)
  const { content, problems } = readForm(fields, answers)
  const strangers = [...answers.keys()].filter((name) => !fields.some((field) => field.name === name))
  const all = [...problems.map(({ problem }) => problem), ...strangers.map((name) => `It has no field "${name}".`)]
  if (all.length === 0) return { action: 'accept', content }
  const message = `The answer does not fit the form, so it was not sent. ${all.join(' ')}`
  throw new CapstanError('arguments_invalid', message, {
    server: ask.server,
    next: `Its fields: ${fields.map(({ name }) => name).join(', ')}`,
  })
}

/** Asks the person about one question after the other. Ctrl-C leaves them as they are. */
export async function answerWithPerson({ io, signal }: CommandContext, inbox: Inbox): Promise<readonly string[]> {
  const answered: string[] = []
  for (const { id, ask } of await inbox.waiting()) {
    const reply = await answerByPerson(io, { ask, answers: new Map(), used: new Set(), signal })
    if (reply === 'interrupted') throw new CapstanError('cancelled', `The question ${id} still waits.`)
    await send(inbox, id, reply)
    answered.push(id)
  }
  return answered
}

async function send(inbox: Inbox, id: string, answer: Answer): Promise<void> {
  if (!(await inbox.answer(id, answer))) throw new CapstanError('usage', gone(id), { next: 'Run: capstan review' })
}

function gone(id: string): string {
  return `No question ${id} waits: it was answered, or its call is over.`
}

export function asksText(asks: readonly WaitingAsk[], answered: readonly string[]): string {
  const done = answered.length === 0 ? '' : `Answered: ${answered.join(', ')}.\n`
  if (asks.length === 0) return done
  const lines = asks.map(
    ({ id, ask, sinceMs }) => `  ${id}  ${askLine(ask)} (${ageOf(sinceMs)} ago)\n${fieldLine(ask)}`,
  )
  const [first] = asks
  const next = `Next: capstan review on a terminal, or capstan review ${first?.id} --answer FIELD=VALUE, or --decline\n`
  return `${done}These questions wait for your answer:\n${lines.join('')}${next}`
}

function fieldLine(ask: Ask): string {
  if (ask.kind === 'url') return `         ${plainLine(ask.url)}\n`
  const names = ask.kind === 'form' ? formFields(ask.schema).map(({ name }) => plainLine(name)) : []
  return names.length === 0 ? '' : `         fields: ${names.join(', ')}\n`
}

export function askJson({ id, ask, client, sinceMs }: WaitingAsk) {
  return { id, ...ask, client, since: new Date(sinceMs).toISOString() }
}
