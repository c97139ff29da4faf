import { CapstanError, messageOf } from '../../errors.ts'
import type { Answer, Ask, JsonObject, OnAsk, OnRoots } from '../api.ts'
import type { Deadline } from '../wire/deadline.ts'
import { problemsIn } from './form-fields.ts'

/** Who answers on one connection, and for how long. */
export interface AskRoutes {
  /** Whoever makes a request answers what is asked until it is done. */
  readonly open: (caller: Answerer, deadline: Deadline) => AskRoute
  /** Answers a question that does not say which request it belongs to, as all of the legacy era do not. */
  readonly answer: (ask: Ask) => Promise<Answer>
  /** The folders of a caller, in the same way; undefined when none of them says. */
  readonly roots: () => Promise<JsonObject | undefined>
}

export interface AskRoute extends Disposable {
  readonly answer: (ask: Ask) => Promise<Answer>
  readonly roots: () => Promise<JsonObject | undefined>
}

/** Whoever makes a request, as far as they answer. */
export interface Answerer {
  readonly onAsk?: OnAsk | undefined
  readonly onRoots?: OnRoots | undefined
}

export function askRoutes(note: (text: string) => void): AskRoutes {
  const open = new Set<AskRoute & { readonly canAnswer: boolean; readonly saysRoots: boolean }>()
  return {
    open({ onAsk, onRoots }, deadline) {
      const route = {
        canAnswer: onAsk !== undefined,
        saysRoots: onRoots !== undefined,
        roots: async () => rootsOf(onRoots, { deadline, note }),
        answer: async (ask: Ask) => answerOf(onAsk, { ask, deadline, note }),
        [Symbol.dispose]: () => void open.delete(route),
      }
      open.add(route)
      return route
    },
    async answer(ask) {
      // Several may be under way: the one that began last is the likeliest to have caused it.
      const route = [...open].findLast(({ canAnswer }) => canAnswer) ?? [...open].at(-1)
      return route === undefined ? nobodyThere(ask, note) : route.answer(ask)
    },
    roots: async () => [...open].findLast(({ saysRoots }) => saysRoots)?.roots(),
  }
}

/** A caller that cannot say is one that does not: the server is told the folder that it would be told otherwise. */
async function rootsOf(
  onRoots: OnRoots | undefined,
  { deadline, note }: Pick<Question, 'deadline' | 'note'>,
): Promise<JsonObject | undefined> {
  try {
    return await (onRoots && deadline.whileAsking(onRoots({ signal: deadline.signal })))
  } catch (error) {
    note(`The folders of the caller could not be had: ${messageOf(error)}`)
    return undefined
  }
}

interface Question {
  readonly ask: Ask
  readonly deadline: Deadline
  readonly note: (text: string) => void
}

/** Never longer than the request itself may take, and never a failure: a server that asks gets an answer. */
async function answerOf(onAsk: OnAsk | undefined, { ask, deadline, note }: Question): Promise<Answer> {
  if (onAsk === undefined) return nobodyThere(ask, note)
  const { signal } = deadline
  const over = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new CapstanError('timed_out', 'nobody answered in time')), {
      once: true,
    })
  })
  over.catch(() => {})
  try {
    return checked(ask, await deadline.whileAsking(Promise.race([onAsk(ask, { signal }), over])), note)
  } catch (error) {
    const reason = `A question of the server (${ask.kind}) was not answered: ${messageOf(error)}`
    note(reason)
    return deadline.passed() === undefined ? { action: 'cancel' } : { action: 'decline', reason }
  }
}

/** A program may answer a form with anything; a server gets what it asked for, or nothing. */
function checked(ask: Ask, answer: Answer, note: (text: string) => void): Answer {
  if (answer.action === 'decline' && answer.reason !== undefined)
    note(`A question of the server (${ask.kind}) was declined: ${answer.reason}`)
  if (ask.kind !== 'form' || answer.action !== 'accept') return answer
  const problems = problemsIn(ask.schema, answer.content ?? {})
  if (problems.length === 0) return answer
  const fields = problems.map(({ field, problem }) => `"${field}": ${problem}`).join(' ')
  note(`The answer to a form of the server does not fit it, so the form was cancelled. ${fields}`)
  return { action: 'cancel' }
}

function nobodyThere(ask: Ask, note: (text: string) => void): Answer {
  const reason = `A question of the server (${ask.kind}) was declined: nobody is there to answer it.`
  note(reason)
  return { action: 'decline', reason }
}
