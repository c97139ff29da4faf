import { randomBytes } from 'node:crypto'
import { CapstanError } from '../errors.ts'
import type { Answer } from '../hub/api.ts'
import type { Exchange } from './exchange.ts'
import type { Seal } from './seal.ts'
import type { ClientAsk, OnClientAsk } from './wire-asks.ts'

/** Work that may ask its caller something while it goes on. */
export type Work<Value> = (options: WorkOptions) => Promise<Value>

export interface WorkOptions {
  readonly onAsk: OnClientAsk
  readonly signal: AbortSignal
  /** The request that waits for it just now: another one after each question, and none in between. */
  readonly exchange: () => Exchange | undefined
}

/** How far the work has come: it is done, or it waits for answers, by their keys. */
export type Turn<Value> =
  | { readonly kind: 'done'; readonly value: Value }
  | { readonly kind: 'asks'; readonly asks: ReadonlyMap<string, ClientAsk>; readonly state: string }

/** Whose request it is. */
export interface Asker {
  readonly caller: string
  readonly request: string
  /** The client's request at hand: its end ends the work only while the client waits for it. */
  readonly exchange: Exchange
}

/**
 * Calls that wait for an answer between two requests. Since 2026-07-28 a server cannot ask in the middle of a request: the request ends with the
 * question and the client comes again with the answer. A server of the older era waits in the middle of its call all the same, so
 * the call is kept here until then: in this process, for a while, and only so many.
 */
export interface WaitingCalls<Value> extends Disposable {
  readonly begin: (asker: Asker, work: Work<Value>) => Promise<Turn<Value>>
  /** Undefined when nothing waits under this state for this caller and this very request. */
  readonly resume: (
    asker: Asker,
    state: string,
    answer: (key: string, ask: ClientAsk) => Answer | undefined,
  ) => Promise<Turn<Value> | undefined>
  readonly count: () => number
  /** Gives up what waits for this caller. */
  readonly end: (caller: string) => void
}

export interface WaitingLimits {
  readonly maxMs: number
  readonly maxCalls: number
  readonly maxCallsOfOne: number
}

export const waitingLimits: WaitingLimits = { maxMs: 10 * 60_000, maxCalls: 1000, maxCallsOfOne: 100 }

const gatheringMs = 20

interface Question {
  readonly ask: ClientAsk
  readonly settle: (answer: Answer) => void
}

interface Kept<Value> {
  readonly id: string
  readonly asker: Omit<Asker, 'exchange'>
  readonly controller: AbortController
  readonly questions: Map<string, Question>
  readonly result: Promise<Value>
  readonly listening: { exchange: Exchange | undefined }
  turn: number
  /** Called when a question comes up while a client waits. */
  onQuestion: () => void
  timer: NodeJS.Timeout | undefined
}

export function waitingCalls<Value>(seal: Seal, now: () => number, limits = waitingLimits): WaitingCalls<Value> {
  const parked = new Map<string, Kept<Value>>()
  return {
    async begin({ exchange, ...asker }, work) {
      const controller = new AbortController()
      const questions = new Map<string, Question>()
      const listening: { exchange: Exchange | undefined } = { exchange }
      let asked = 0
      const onAsk: OnClientAsk = (ask, { signal: over }) =>
        new Promise((resolve) => {
          const reason = whyFull(asker.caller)
          if (reason !== undefined) return resolve({ action: 'decline', reason })
          const key = keyFor(ask, (name) => questions.has(name), ++asked)
          const settle = (answer: Answer) => {
            questions.delete(key)
            resolve(answer)
          }
          questions.set(key, { ask, settle })
          over.addEventListener('abort', () => settle({ action: 'cancel' }), { once: true })
          kept.onQuestion()
        })
      const kept: Kept<Value> = {
        id: randomBytes(16).toString('base64url'),
        asker,
        controller,
        questions,
        // Not at once: it may ask before it does anything else.
        result: Promise.resolve().then(() =>
          work({ onAsk, signal: controller.signal, exchange: () => listening.exchange }),
        ),
        listening,
        turn: 0,
        onQuestion() {},
        timer: undefined,
      }
      // Nobody may be there when it fails.
      kept.result.catch(() => {})
      return nextTurn(kept, exchange)
    },
    async resume({ exchange, ...asker }, state, answer) {
      const kept = take(state, asker)
      if (kept === undefined) return undefined
      for (const [key, { ask, settle }] of kept.questions) {
        const given = answer(key, ask)
        if (given !== undefined) settle(given)
      }
      return nextTurn(kept, exchange)
    },
    count: () => parked.size,
    end(caller) {
      const theirs = [...parked.values()].filter(({ asker }) => asker.caller === caller)
      for (const kept of theirs) giveUp(kept, new CapstanError('cancelled', 'Its caller may not come any more.'))
    },
    [Symbol.dispose]() {
      for (const kept of parked.values()) giveUp(kept, new CapstanError('cancelled', 'The gateway ends.'))
    },
  }

  /** Each state counts once, and only for its own request and caller. */
  function take(state: string, asker: Omit<Asker, 'exchange'>): Kept<Value> | undefined {
    const opened = seal.open(state)
    const kept = opened === undefined ? undefined : parked.get(opened.id)
    const isTheirs = opened?.caller === asker.caller && opened.request === asker.request
    if (kept === undefined || !isTheirs || kept.turn !== opened.turn) return undefined
    clearTimeout(kept.timer)
    parked.delete(kept.id)
    return kept
  }

  async function nextTurn(kept: Kept<Value>, exchange: Exchange): Promise<Turn<Value>> {
    const { signal } = exchange
    kept.listening.exchange = exchange
    const stop = () => kept.controller.abort(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    try {
      const done = kept.result.then((value) => ({ kind: 'done', value }) as const)
      for (;;) {
        const first = await Promise.race([done, nextQuestion(kept)])
        if (first !== 'asked') return first
        // A question may have been taken back meanwhile.
        if (kept.questions.size > 0) return park(kept)
      }
    } finally {
      // A request of the modern era is over with its answer, and its signal with it: that must not end work that waits.
      signal.removeEventListener('abort', stop)
      kept.listening.exchange = undefined
      kept.onQuestion = () => {}
    }
  }

  /** Questions of one moment are put together. A server of the older era sends each on its own, so that they come one after the other. */
  function nextQuestion(kept: Kept<Value>): Promise<'asked'> {
    return new Promise((resolve) => {
      kept.onQuestion = () => void setTimeout(() => resolve('asked'), gatheringMs)
      if (kept.questions.size > 0) kept.onQuestion()
    })
  }

  function park(kept: Kept<Value>): Turn<Value> {
    const { id, asker, questions } = kept
    kept.turn += 1
    parked.set(id, kept)
    const late = () => giveUp(kept, new CapstanError('timed_out', 'Nobody came back with an answer in time.'))
    kept.timer = setTimeout(late, limits.maxMs).unref()
    const state = seal.close({ id, turn: kept.turn, ...asker, expiresAtMs: now() + limits.maxMs })
    return { kind: 'asks', asks: new Map([...questions].map(([key, { ask }]) => [key, ask])), state }
  }

  function giveUp({ id, controller, timer }: Kept<Value>, reason: CapstanError): void {
    clearTimeout(timer)
    parked.delete(id)
    controller.abort(reason)
  }

  function whyFull(caller: string): string | undefined {
    const own = [...parked.values()].filter(({ asker }) => asker.caller === caller).length
    const isFull = parked.size >= limits.maxCalls || own >= limits.maxCallsOfOne
    return isFull ? 'Too many questions wait for an answer already.' : undefined
  }
}

const plainName = /^[A-Za-z][\w.-]{0,99}$/

/** The server's own name for a question stays, where it has one: a client may know it. */
function keyFor(ask: ClientAsk, isTaken: (name: string) => boolean, number: number): string {
  const own = ask.kind === 'roots' ? undefined : ask.key
  if (own !== undefined && plainName.test(own) && !isTaken(own)) return own
  // Not a name that a server may have chosen.
  return `capstan/${number}`
}
