import { CapstanError } from '../errors.ts'
import type { Answer, Ask, JsonObject, OnAsk } from '../hub/api.ts'
import { problemsIn } from '../hub/asks/form-fields.ts'

/** A question that its caller cannot show: it waits until somebody answers it, or its call is over. */
export interface WaitingAsk {
  /** `ask:1`, which no server can be called. */
  readonly id: string
  readonly ask: Ask
  /** Whose call it is. */
  readonly client: string
  readonly sinceMs: number
}

export interface AskInbox {
  readonly waiting: () => readonly WaitingAsk[]
  /** Answers one; false when it is not there any more. */
  readonly answer: (params: unknown) => boolean
  /** Takes the questions of one client's calls, and tells it that one waits. */
  readonly takeFrom: (client: string, tell: (waiting: WaitingAsk) => void) => OnAsk
}

const mostWaiting = 100

export function askInbox(): AskInbox {
  const open = new Map<string, { readonly waiting: WaitingAsk; readonly settle: (answer: Answer) => void }>()
  let nextId = 1
  return {
    waiting: () => [...open.values()].map(({ waiting }) => waiting),
    answer(params) {
      const { id, answer } = readMessage(params)
      const entry = open.get(id)
      if (entry === undefined) return false
      refuseMisfit(entry.waiting.ask, answer)
      entry.settle(answer)
      return true
    },
    takeFrom: (client, tell) => async (ask, options) => {
      const reason = whyNot(ask, open.size)
      if (reason !== undefined) return { action: 'decline', reason }
      return keep({ id: `ask:${nextId++}`, ask, client, sinceMs: Date.now() }, { ...options, tell })
    },
  }

  function keep(
    waiting: WaitingAsk,
    { signal, tell }: { readonly signal: AbortSignal; readonly tell: (waiting: WaitingAsk) => void },
  ): Promise<Answer> {
    return new Promise((resolve) => {
      const settle = (answer: Answer) => {
        open.delete(waiting.id)
        signal.removeEventListener('abort', giveUp)
        resolve(answer)
      }
      const giveUp = () => settle({ action: 'decline', reason: 'Nobody answered it before its call was over.' })
      if (signal.aborted) return giveUp()
      open.set(waiting.id, { waiting, settle })
      signal.addEventListener('abort', giveUp, { once: true })
      tell(waiting)
    })
  }
}

/** What nobody could answer by looking into the inbox. */
function whyNot(ask: Ask, waiting: number): string | undefined {
  if (ask.kind === 'sampling') return 'No model is there to answer.'
  if (ask.kind === 'url' && ask.purpose === 'login') return `Log in with: capstan login ${ask.server}`
  return waiting >= mostWaiting ? `${mostWaiting} questions wait already.` : undefined
}

function refuseMisfit(ask: Ask, answer: Answer): void {
  if (ask.kind !== 'form' || answer.action !== 'accept') return
  const problems = problemsIn(ask.schema, answer.content ?? {})
  if (problems.length === 0) return
  const message = `The answer does not fit the form: ${problems.map(({ problem }) => problem).join(' ')}`
  throw new CapstanError('arguments_invalid', message, { server: ask.server, next: 'Correct it and answer again.' })
}

function readMessage(params: unknown): { readonly id: string; readonly answer: Answer } {
  const { id, answer } = asObject(params)
  const { action, content } = asObject(answer)
  if (typeof id !== 'string') throw new CapstanError('usage', 'An answer names the question it is for.')
  if (action === 'decline' || action === 'cancel') return { id, answer: { action } }
  if (action !== 'accept') throw new CapstanError('usage', 'An answer is "accept", "decline" or "cancel".')
  return { id, answer: { action, ...(content === undefined ? {} : { content: asObject(content) }) } }
}

/** What came over the socket is JSON. */
function asObject(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}
}
