import type { SessionAnswer, SessionAsk, SessionEvent } from './session.ts'

/** An ask without the id that it gets here. */
export type NewAsk = SessionAsk extends infer Ask ? (Ask extends SessionAsk ? Omit<Ask, 'id'> : never) : never

/** The questions that wait for a person. */
export interface Asks {
  /**
   * Asks, and resolves to the answer; to nothing when the signal is aborted. `settle` is tried after every other answer: what it
   * returns ends the question, because that answer has settled this one too.
   */
  ask(
    ask: NewAsk,
    options: { readonly signal: AbortSignal; readonly settle?: () => SessionAnswer | undefined },
  ): Promise<SessionAnswer | undefined>
  answer(id: string, answer: SessionAnswer): void
  /** Looks whether open questions have been settled meanwhile. */
  review(): void
}

interface Waiting {
  readonly close: (answer: SessionAnswer | undefined) => void
  readonly settle: () => SessionAnswer | undefined
  readonly kind: SessionAsk['kind']
}

export function makeAsks(emit: (event: SessionEvent) => void): Asks {
  const waiting = new Map<string, Waiting>()
  let count = 0

  return {
    ask: (ask, { signal, settle = () => undefined }) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve(undefined)
        count += 1
        const id = `ask-${count}`
        const onAbort = (): void => close(undefined)
        const close = (answer: SessionAnswer | undefined): void => {
          if (!waiting.delete(id)) return
          signal.removeEventListener('abort', onAbort)
          emit({ kind: 'ask_closed', id })
          resolve(answer)
        }
        waiting.set(id, { close, settle, kind: ask.kind })
        signal.addEventListener('abort', onAbort)
        emit({ kind: 'ask', ask: { ...ask, id } })
      }),
    answer(id, answer) {
      const asked = waiting.get(id)
      // A late answer, or one to another kind of question, is nobody's.
      if (asked?.kind === answer.kind) asked.close(answer)
    },
    review() {
      for (const { close, settle } of waiting.values()) {
        const answer = settle()
        if (answer !== undefined) close(answer)
      }
    },
  }
}
