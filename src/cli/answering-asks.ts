import { CapstanError } from '../errors.ts'
import type { AskOptions, OnAsk } from '../hub/api.ts'
import type { CommandContext, CommandInput } from './command.ts'
import type { Pausable } from './progress.ts'

/** The flag of commands whose servers may ask. */
export const answerOption = { answer: { type: 'string', multiple: true } } as const

export interface AskRoom {
  readonly context: CommandContext
  readonly values: CommandInput['values']
  /** What else writes to the terminal. */
  readonly others?: Pausable
}

/**
 * Runs something during which servers may ask: with a person at the terminal who answers, with the answers of `--answer`, or, after
 * `--no-input`, with a refusal. Where there is none of these, the hub decides: behind the daemon a question waits for `review`.
 */
export async function answeringAsks<Value>(
  { context, values, others }: AskRoom,
  run: (asks: AskOptions) => Promise<Value>,
): Promise<Value> {
  const { io, flags, signal } = context
  const answers = readAnswers(values['answer'])
  if (!flags.mayAsk && answers.size === 0 && values['no-input'] !== true) return run({ signal })
  const used = new Set<string>()
  const [ended, givenUp] = [new AbortController(), new AbortController()]
  const giveUp = () => givenUp.abort(new CapstanError('cancelled', 'Interrupted.'))
  // Most calls ask nothing, so what answers is loaded when the first question comes.
  let desk: Promise<OnAsk> | undefined
  const open = () =>
    (desk ??= import('./ask-desk.ts').then(({ askDesk }) =>
      askDesk({ io, mayAsk: flags.mayAsk, answers, used, giveUp, ...(others === undefined ? {} : { others }) }),
    ))
  try {
    return await run({
      signal: AbortSignal.any([signal, givenUp.signal]),
      onAsk: async (ask, { signal: wanted }) =>
        (await open())(ask, { signal: AbortSignal.any([wanted, ended.signal]) }),
    })
  } finally {
    ended.abort(new CapstanError('cancelled', 'The call has ended.'))
    const unused = [...answers.keys()].filter((name) => !used.has(name))
    if (unused.length > 0) io.err(`warning: no question had a field ${unused.map((name) => `"${name}"`).join(', ')}\n`)
  }
}

/** `--answer key=value`; a key given several times has several values. */
export function readAnswers(words: CommandInput['values'][string]): ReadonlyMap<string, string> {
  const answers = new Map<string, string>()
  for (const word of Array.isArray(words) ? words.map(String) : []) {
    const at = word.indexOf('=')
    if (at <= 0)
      throw new CapstanError('usage', `--answer wants FIELD=VALUE, not "${word}".`, {
        next: 'For example: --answer colour=red',
      })
    const [name, value] = [word.slice(0, at), word.slice(at + 1)]
    const before = answers.get(name)
    answers.set(name, before === undefined ? value : `${before}\n${value}`)
  }
  return answers
}
