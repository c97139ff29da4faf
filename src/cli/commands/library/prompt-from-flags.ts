import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { CapstanError, messageOf } from '../../../errors.ts'
import { waitFor } from '../../../hub/wait-for.ts'
import type { PromptArgument, PromptDraft } from '../../../prompts/prompt.ts'
import { readPrompt } from '../../../prompts/read-prompt.ts'
import { undeclaredIn } from '../../../prompts/template.ts'
import type { CommandContext, CommandInput } from '../../command.ts'
import { textOf, textsOf } from './choose-prompts.ts'

type Values = CommandInput['values']

/** The text that `--text` or `--file` gives; undefined when there is neither. */
export async function givenText(
  { io, signal }: Pick<CommandContext, 'io' | 'signal'>,
  values: Values,
): Promise<string | undefined> {
  const [text, file] = [textOf(values, 'text'), textOf(values, 'file')]
  if (text !== undefined && file !== undefined) throw new CapstanError('usage', 'Give either --text or --file.')
  if (file === undefined) return text
  if (file === '-') return await waitFor(io.readStdin(), signal, 'standard input')
  try {
    return await readFile(resolve(io.cwd, file), 'utf8')
  } catch (error) {
    throw new CapstanError('usage', `The file ${file} cannot be read: ${messageOf(error)}`, { cause: error })
  }
}

/** Whether a text is a whole prompt with its fields, and not only what it says. */
export function isDocument(text: string): boolean {
  return /^\uFEFF?---[ \t]*\r?\n/.test(text)
}

/** The prompt with what the flags say instead. */
export function withFlags(prompt: PromptDraft, values: Values): PromptDraft {
  const [title, description] = [textOf(values, 'title'), textOf(values, 'description')]
  const tags = textsOf(values, 'tag')
  const declared = textsOf(values, 'argument').map(readArgumentFlag)
  return readPrompt({
    ...prompt,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(tags.length === 0 ? {} : { tags }),
    ...(declared.length === 0 ? {} : { arguments: mergedArguments(prompt.arguments, declared) }),
  })
}

/** A prompt of one message. Each `{{word}}` in it is an argument: whoever types a text with braces means it. */
export function promptOfText(name: string, text: string, base?: PromptDraft): PromptDraft {
  const before = base?.arguments ?? []
  const words = undeclaredIn(text, { declared: new Set(before.map((argument) => argument.name)), isPlus: false })
  return readPrompt({
    ...base,
    name,
    arguments: [...before, ...words.map((word): PromptArgument => ({ name: word, required: true }))],
    messages: [{ role: 'user', content: { type: 'text', text: text.trimEnd() } }],
    tags: base?.tags ?? [],
  })
}

/** `topic`, `topic?` (optional), `topic=everything` (with a default), each with `: what it is` behind it. */
function readArgumentFlag(flag: string): PromptArgument {
  const [, name = '', optional, preset, description] =
    /^([^\s:=?]+)(\?)?(?:=([^:]*))?(?::\s*(.*))?$/.exec(flag.trim()) ?? []
  if (name === '') {
    throw new CapstanError('usage', `--argument wants a name, not "${flag}".`, {
      next: 'For example: --argument "focus=security: what to look at"',
    })
  }
  return {
    name,
    ...(description === undefined || description === '' ? {} : { description }),
    required: optional === undefined && preset === undefined,
    ...(preset === undefined ? {} : { default: preset.trim() }),
  }
}

function mergedArguments(
  before: readonly PromptArgument[],
  declared: readonly PromptArgument[],
): readonly PromptArgument[] {
  return [...new Map([...before, ...declared].map((argument) => [argument.name, argument])).values()]
}
