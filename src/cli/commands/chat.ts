import { CapstanError } from '../../errors.ts'
import type { Beginning } from '../chat/open-desk.ts'
import type { Command, CommandContext, CommandInput } from '../command.ts'
import { whyNoSession } from '../chat/why-no-session.ts'

export const command: Command = {
  options: {
    continue: { type: 'boolean' },
    resume: { type: 'boolean' },
    model: { type: 'string' },
    prompt: { type: 'string' },
  },
  help: `Opens a session on the terminal: type, and a model answers, using the tools of your servers with your leave. Every prompt
of every server is a command, /server:prompt, with completion of names and values; /help lists the others.
Without a model everything but the answers works.

  --continue        go on with the last conversation of this folder
  --resume [ID]     go on with a conversation; without an id, choose one
  --model NAME      anthropic/NAME, openai/NAME, google/NAME, or a model at the address in [model] of config.toml
  --prompt SERVER:PROMPT key=value…   begin with a prompt of a server

Without a terminal, or where CI is set, there is no session: ask one question with capstan ask.

Examples
  capstan chat
  capstan chat --continue
  capstan chat --prompt everything:args-prompt city=Lisbon`,
  run,
}

async function run(context: CommandContext, input: CommandInput): Promise<number> {
  const { values, positionals } = input
  const wants = { json: context.flags.json, noInput: values['no-input'] === true }
  const reason = whyNoSession(context.io, wants)
  if (reason !== undefined) {
    throw new CapstanError('usage', `There is no session here, because ${reason}.`, {
      next: 'Ask one question with: capstan ask "…"',
    })
  }
  const prompt = values['prompt']
  const beginning = beginningOf(input)
  const line = typeof prompt === 'string' ? await promptLine(prompt, positionals, context) : undefined
  const { holdSession } = await import('../chat/hold-session.ts')
  return holdSession(context, { beginning, model: textOf(values['model']), line })
}

function beginningOf({ values, positionals }: CommandInput): Beginning {
  const [id, ...more] = typeof values['prompt'] === 'string' ? [] : positionals
  const isResumed = values['resume'] === true
  if (values['continue'] === true && isResumed) throw new CapstanError('usage', 'Give either --continue or --resume.')
  if (more.length > 0 || (id !== undefined && !isResumed)) {
    const next = 'To ask one question: capstan ask "…". To go on with a conversation: capstan chat --resume ID'
    throw new CapstanError('usage', `A session takes no words, and here is "${more[0] ?? id}".`, { next })
  }
  if (values['continue'] === true) return { kind: 'last' }
  if (!isResumed) return { kind: 'new' }
  return id === undefined ? { kind: 'picked' } : { kind: 'named', id }
}

/** The line that a person could have typed. */
async function promptLine(prompt: string, words: readonly string[], context: CommandContext): Promise<string> {
  const [{ readArguments }, { writeName }] = await Promise.all([
    import('../pairs.ts'),
    import('../../commands/print-line.ts'),
  ])
  const { pairs } = await readArguments({ words, flag: undefined }, context)
  const values = Object.fromEntries(pairs.map(({ key, value }) => [key, value]))
  return pairs.length === 0 ? writeName(prompt) : `${writeName(prompt)} --args ${JSON.stringify(values)}`
}

function textOf(value: CommandInput['values'][string]): string | undefined {
  return typeof value === 'string' ? value : undefined
}
