import { CapstanError } from '../../../errors.ts'
import { renderPrompt } from '../../../prompts/render-prompt.ts'
import type { StoredPrompt } from '../../../prompts/store.ts'
import type { CommandInput } from '../../command.ts'
import { exitCodes } from '../../exit-codes.ts'
import { readArguments } from '../../pairs.ts'
import { layerOf, promptNamed, revisionOrLabel, textOf } from './choose-prompts.ts'
import { messagesText, promptPage } from './prompt-page.ts'
import { wholePrompt } from './prompt-row.ts'
import type { LibraryContext, Subcommand } from './subcommand.ts'

export const subcommand: Subcommand = {
  help: `Show one prompt: what it is for, its arguments and its text. Or fill it in.

  --render         fill in the arguments that follow: key=value, key=@file, key=- (standard input)
  --args JSON      all arguments as one JSON object, also @file or -
  --raw            as "library edit" shows it, ready for "library add --file"
  --at REVISION    as it was at a revision, or at a label such as production
  --layer NAME     look in this layer alone
  --json           the whole record, or with --render the messages, as one JSON value

A prompt of one message is rendered as its bare text, so that it can be piped; several have their roles above them.

Examples
  capstan library show code_review
  capstan library show code_review --render focus=security code=@src/main.ts
  capstan library show code_review --at production --raw`,
  run,
}

async function run(context: LibraryContext, input: CommandInput): Promise<number> {
  const { io, flags, openLibrary } = context
  const { values, positionals } = input
  const [name, ...words] = positionals
  if (name === undefined) throw new CapstanError('usage', 'Which prompt?', { next: 'Write: capstan library show NAME' })
  const isRendered = values['render'] === true || values['args'] !== undefined
  if (isRendered && values['raw'] === true) throw new CapstanError('usage', 'Give either --raw or --render.')
  if (!isRendered && words.length > 0) {
    throw new CapstanError('usage', `"${words[0]}" is one word too many.`, {
      next: `To fill in arguments: capstan library show ${name} --render ${words.join(' ')}`,
    })
  }
  const { store } = await openLibrary()
  const at = textOf(values, 'at')
  const stored = await promptNamed(store, name, {
    ...layerOf(values),
    ...(at === undefined ? {} : { at: revisionOrLabel(at) }),
  })
  if (isRendered) {
    const given = await argumentsOf(words, context, values['args'])
    const include = async (other: string) => (await store.get(other)).prompt
    const messages = await renderPrompt(stored.prompt, given, { include })
    await io.out(flags.json ? `${JSON.stringify({ ...described(stored), messages })}\n` : messagesText(messages, io))
    return exitCodes.ok
  }
  await io.out(await shown(stored, context, values['raw'] === true))
  return exitCodes.ok
}

async function argumentsOf(
  words: readonly string[],
  context: LibraryContext,
  flag: CommandInput['values'][string],
): Promise<Readonly<Record<string, string>>> {
  const { pairs, base } = await readArguments({ words, flag }, context)
  return Object.fromEntries([
    ...Object.entries(base).map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]),
    ...pairs.map(({ key, value }) => [key, value]),
  ])
}

function described({ prompt, revision }: StoredPrompt): { name: string; revision: number; description?: string } {
  const { name, description } = prompt
  return { name, revision, ...(description === undefined ? {} : { description }) }
}

async function shown(stored: StoredPrompt, { io, flags }: LibraryContext, isRaw: boolean): Promise<string> {
  if (flags.json) return `${JSON.stringify(wholePrompt(stored))}\n`
  if (!isRaw) return promptPage(stored, io)
  const { writeDocument } = await import('../../../prompts/formats/document.ts')
  return writeDocument(stored.prompt)
}
