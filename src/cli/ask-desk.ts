import type { Answer, Ask, OnAsk } from '../hub/api.ts'
import { answerByFlags, answerByPerson, type Reply } from './answer-ask.ts'
import type { Io } from './command.ts'
import type { Pausable } from './progress.ts'

export interface DeskSetup {
  readonly io: Io
  readonly mayAsk: boolean
  /** What `--answer` gave, by the name of the field. */
  readonly answers: ReadonlyMap<string, string>
  /** Takes the names of answers that a form had a field for. */
  readonly used: Set<string>
  /** Ends the call. */
  readonly giveUp: () => void
  readonly others?: Pausable
}

/** Answers what servers ask during one command. A terminal has room for one question at a time: the next waits for its turn. */
export function askDesk({ io, mayAsk, answers, used, giveUp, others }: DeskSetup): OnAsk {
  let turn: Promise<unknown> = Promise.resolve()
  let isInterrupted = false
  return (ask, { signal }) => {
    const answering = turn.then(() => inTurn(ask, signal))
    turn = answering.catch(() => {})
    return answering
  }

  async function inTurn(ask: Ask, signal: AbortSignal): Promise<Answer> {
    if (signal.aborted) return { action: 'cancel' }
    if (!mayAsk) return answerByFlags(io, { ask, answers, used })
    others?.pause()
    try {
      return interpret(await answerByPerson(io, { ask, answers, used, signal }))
    } finally {
      others?.resume()
    }
  }

  /** The first Ctrl-C leaves the question, the second the whole call. */
  function interpret(reply: Reply): Answer {
    if (reply !== 'interrupted') return reply
    if (isInterrupted) giveUp()
    else io.err('\nThe question was cancelled. Ctrl-C again cancels the call.\n')
    isInterrupted = true
    return { action: 'cancel' }
  }
}
