import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { CapstanError } from '../errors.ts'
import { waitFor } from '../hub/wait-for.ts'
import type { Io } from './command.ts'

export interface AskOptions {
  /** The accepted answers; a person may type the start of one. Any text is accepted when absent. */
  readonly choices?: readonly string[]
  /** What an empty line means. Without it an empty line is asked again, where there are choices. */
  readonly default?: string
  /** Do not show what is typed: for passwords and tokens. */
  readonly hidden?: boolean
  /** Gives up the question: SIGTERM and `--timeout`. Ctrl-C comes as a key. */
  readonly signal?: AbortSignal
}

/** What came of a question: an answer, Ctrl-C, or the end of the input (Ctrl-D). */
export type Typed =
  | { readonly kind: 'answer'; readonly text: string }
  | { readonly kind: 'interrupted' }
  | { readonly kind: 'ended' }

/** Asks one question on stderr and resolves to the answer. Ctrl-C and the end of the input cancel. */
export async function ask(io: Io, question: string, options: AskOptions = {}): Promise<string> {
  const typed = await askOrLeave(io, question, options)
  if (typed.kind === 'answer') return typed.text
  // What is said next begins on a line of its own; a hidden answer has ended its line already.
  if (options.hidden !== true) io.err('\n')
  throw new CapstanError('cancelled', 'The question was cancelled; nothing was changed.')
}

/** The same for questions that can be left in more than one way. */
export async function askOrLeave(io: Io, question: string, options: AskOptions = {}): Promise<Typed> {
  const prompt = promptText(question, options)
  for (;;) {
    const typed = await readLine(io, prompt, options)
    if (typed.kind !== 'answer') return typed
    const text = interpret(typed.text, options)
    if (text !== undefined) return { kind: 'answer', text }
    io.err(`Please answer ${(options.choices ?? []).join(', ')}.\n`)
  }
}

function promptText(question: string, options: AskOptions): string {
  const choices = options.choices === undefined ? '' : ` [${options.choices.join('/')}]`
  const preset = options.default === undefined ? '' : ` (${options.default})`
  return `${question}${choices}${preset} `
}

function interpret(line: string, { choices, default: preset }: AskOptions): string | undefined {
  const typed = line.trim()
  if (typed === '' && preset !== undefined) return preset
  if (choices === undefined) return typed
  const wanted = typed.toLowerCase()
  const exact = choices.find((choice) => choice.toLowerCase() === wanted)
  const starting = choices.filter((choice) => wanted !== '' && choice.toLowerCase().startsWith(wanted))
  return exact ?? (starting.length === 1 ? starting[0] : undefined)
}

async function readLine(io: Io, prompt: string, { hidden = false, signal }: AskOptions): Promise<Typed> {
  const input = io.stdin ?? process.stdin
  const screen = { isMuted: false }
  const terminal = io.stdinIsTerminal && io.stderrIsTerminal
  const lines = createInterface({ input, output: writableOver(io, screen), terminal })
  const early: string[] = []
  try {
    const answer = new Promise<Typed>((resolve) => {
      let isAnswered = false
      lines.on('line', (line) => {
        if (isAnswered) early.push(line)
        isAnswered = true
        resolve({ kind: 'answer', text: line })
      })
      lines.once('SIGINT', () => resolve({ kind: 'interrupted' }))
      lines.once('close', () => resolve({ kind: 'ended' }))
      lines.setPrompt(prompt)
      lines.prompt()
      screen.isMuted = hidden
    })
    return await waitFor(answer, signal, 'the question')
  } finally {
    lines.close()
    if (hidden) io.err('\n') // The line end that was typed is hidden too.
    // Lines that arrived together with the answer (a paste, a pipe) belong to the questions that follow.
    if (early.length > 0) input.unshift(`${early.join('\n')}\n`)
  }
}

function writableOver(io: Io, screen: { readonly isMuted: boolean }): Writable & { readonly columns: number } {
  const output = new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      if (!screen.isMuted) io.err(chunk.toString())
      done()
    },
  })
  return Object.assign(output, { columns: io.columns })
}
