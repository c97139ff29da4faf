import type { CallView, Session, SessionEvent, TurnOutcome } from '../../agent/session.ts'
import { CapstanError, stopped, unreachable } from '../../errors.ts'
import type { CommandContext, Io } from '../command.ts'
import { exitCodes } from '../exit-codes.ts'
import { plainLine, plainText } from '../../policy/plain-text.ts'
import { styleFor } from '../render/style.ts'

export type OutputForm = 'text' | 'json' | 'stream-json'

/** Shows what happens while the model works: every event as a line of JSON, or notices and calls on stderr. */
export function showEvents(
  session: Session,
  form: OutputForm,
  io: Io,
): { readonly written: () => Promise<void> } & Disposable {
  let written: Promise<void> = Promise.resolve()
  const listening = session.on((event) => {
    if (form === 'stream-json') written = written.then(() => io.out(`${JSON.stringify(event)}\n`))
    else showOnStderr(event, io)
  })
  return { written: () => written, [Symbol.dispose]: () => listening[Symbol.dispose]() }
}

function showOnStderr(event: SessionEvent, io: Io): void {
  if (event.kind === 'notice') {
    const { text, next } = event.notice
    io.err(plainText(`${text}${next === undefined ? '' : `\n  → ${next}`}\n`))
  }
  // In a script only what was refused is news; a person sees what goes on.
  if (event.kind !== 'call' || event.call.state.kind !== 'ended') return
  if (io.stderrIsTerminal || event.call.state.end === 'refused')
    io.err(`${callLine(event.call, event.call.state, io)}\n`)
}

function callLine({ label, input }: CallView, state: Extract<CallView['state'], { kind: 'ended' }>, io: Io): string {
  const style = styleFor(io, 'stderr')
  const args = input?.kind === 'json' ? JSON.stringify(input.value) : (input?.text ?? '')
  const shown = plainLine(args.length > 60 ? `${args.slice(0, 59)}…` : args)
  const end = state.end === 'done' ? style.faint('done') : style.bad(state.end)
  return `${plainLine(label)} ${style.faint(shown)} ${end} ${style.faint(`${state.ms} ms`)}`
}

export interface Ending {
  readonly outcome: TurnOutcome
  readonly session: Session
  readonly form: OutputForm
}

/** Prints the answer, and says by the exit code how it went. */
export async function reportOutcome({ outcome, session, form }: Ending, context: CommandContext): Promise<number> {
  const { io, signal } = context
  switch (outcome.kind) {
    case 'answered':
      await printAnswer({ outcome, session, form }, io)
      if (outcome.refusals.length === 0) return exitCodes.ok
      sayRefusals(outcome.refusals, io)
      return exitCodes.notAllowed
    case 'failed':
      throw CapstanError.fromJSON(outcome.error)
    case 'stopped':
    case 'dropped':
      throw stopped(signal, 'the question')
    case 'handled':
      return exitCodes.ok
    default:
      return unreachable(outcome)
  }
}

async function printAnswer({ outcome, session, form }: Ending, io: Io): Promise<void> {
  if (outcome.kind !== 'answered' || form === 'stream-json') return
  if (form === 'json') {
    const { conversation, model, total } = session.status()
    const calls = session
      .history()
      .flatMap((entry) => (entry.kind === 'result' ? [{ tool: entry.name, end: entry.end, ms: entry.ms }] : []))
    await io.out(
      `${JSON.stringify({ answer: outcome.text, conversation, model, usage: total, calls, refusals: outcome.refusals })}\n`,
    )
    return
  }
  const text = outcome.text.trim()
  if (text !== '') await io.out(`${io.stdoutIsTerminal ? plainText(text) : text}\n`)
}

function sayRefusals(refusals: readonly string[], io: Io): void {
  const tools = [...new Set(refusals)]
  const flags = tools.map((tool) => `--allow ${tool}`).join(' ')
  io.err(plainText(`capstan: not allowed to run: ${tools.join(', ')}\n  → Allow it: capstan ask ${flags} …\n`))
}
