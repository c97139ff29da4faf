import { contentPart } from '../../agent/content-parts.ts'
import type { ContentPart } from '../../agent/record.ts'
import type { PreparedMessage } from '../../agent/session.ts'
import { CapstanError } from '../../errors.ts'
import { findPrompt } from '../../hub/catalogue/names.ts'
import { waitFor } from '../../hub/wait-for.ts'
import type { CommandContext, CommandInput } from '../command.ts'
import { readArguments } from '../pairs.ts'
import { reachFor } from '../reach.ts'

/** What was typed, read and rendered, as the messages of one turn. */
export interface Asked {
  /** What it is called in the conversation. */
  readonly text: string
  readonly messages: readonly PreparedMessage[]
}

/** The question, with what came on standard input and the prompt that was named. */
export async function readQuestion(context: CommandContext, { values, positionals }: CommandInput): Promise<Asked> {
  const name = values['prompt']
  if (typeof name === 'string') return await readPrompt(context, name, { values, positionals })
  const question = positionals.join(' ').trim()
  const piped = await readPiped(context)
  if (question === '' && piped === '') {
    throw new CapstanError('usage', 'What is the question? Write: capstan ask "QUESTION"', {
      next: 'Name a prompt with --prompt SERVER:PROMPT, or give the question on standard input.',
    })
  }
  return { text: question === '' ? piped : question, messages: [{ role: 'user', parts: partsOf(question, piped) }] }
}

async function readPrompt(
  context: CommandContext,
  name: string,
  { values, positionals }: CommandInput,
): Promise<Asked> {
  const words = positionals.filter((word) => isPair(word))
  const question = positionals
    .filter((word) => !isPair(word))
    .join(' ')
    .trim()
  const isStdinTaken = [...words.map((word) => word.slice(word.indexOf('=') + 1)), values['args']].includes('-')
  const { pairs, base } = await readArguments({ words, flag: values['args'] }, context)
  const piped = isStdinTaken ? '' : await readPiped(context)
  const { hub, catalogue } = await reachFor(context, name, ['prompts'])
  const prompt = findPrompt(catalogue, name)
  const given = Object.entries(base).map(([key, value]) => [
    key,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])
  const typed = pairs.map(({ key, value }) => [key, value])
  const args = Object.fromEntries([...given, ...typed]) as Readonly<Record<string, string>>
  const { messages } = await hub.prompt(prompt, args, { signal: context.signal })
  const rendered = messages.map(({ role, content }) => messageOf(role, contentPart(content), prompt.id))
  const more = question === '' && piped === '' ? [] : [{ role: 'user', parts: partsOf(question, piped) } as const]
  return { text: `/${prompt.id}`, messages: [...rendered, ...more] }
}

/** A model's own part of a conversation is text; other content that a prompt puts there is shown to it as the user's. */
function messageOf(role: string, part: ContentPart, prompt: string): PreparedMessage {
  return role === 'assistant' && part.kind !== 'media'
    ? { role, text: part.text, prompt }
    : { role: 'user', parts: [part], prompt }
}

function isPair(word: string): boolean {
  return /^[^\s=]+=/.test(word)
}

async function readPiped({ io, signal }: CommandContext): Promise<string> {
  return io.stdinIsTerminal ? '' : (await waitFor(io.readStdin(), signal, 'standard input')).trim()
}

function partsOf(question: string, piped: string): readonly ContentPart[] {
  if (piped === '') return [{ kind: 'text', text: question }]
  if (question === '') return [{ kind: 'text', text: piped }]
  return [
    { kind: 'resource', uri: 'stdin', text: piped },
    { kind: 'text', text: question },
  ]
}
