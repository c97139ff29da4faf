import { CapstanError } from '../../../errors.ts'
import { emptyDocument, readDocument } from '../../../prompts/formats/document.ts'
import type { PromptDraft } from '../../../prompts/prompt.ts'
import { isPromptName, promptNameFor } from '../../../prompts/prompt-name.ts'
import type { StoredPrompt } from '../../../prompts/store.ts'
import type { CommandInput } from '../../command.ts'
import { exitCodes } from '../../exit-codes.ts'
import type { PromptLibrary } from '../../prompt-library.ts'
import { layerOf } from './choose-prompts.ts'
import { editText } from './edit-text.ts'
import { givenText, isDocument, promptOfText, withFlags } from './prompt-from-flags.ts'
import { reportSaved, savedSentence, writer } from './saved.ts'
import type { LibraryContext, Subcommand } from './subcommand.ts'

export const subcommand: Subcommand = {
  help: `Add a prompt. Without a text your editor opens (VISUAL, EDITOR, else vi). What cannot be saved is kept, and its place named.

  --text TEXT          the text; each {{word}} in it is an argument
  --file FILE          the text from a file, or - for standard input. A file that begins with --- has the fields on top
  --title TEXT         what people call it
  --description TEXT   one sentence: what it is for
  --tag TAG            a word to find it by; may be given again
  --argument ARG       topic, topic? (optional) or topic=default, with ": what it is" behind; may be given again
  --layer NAME         where to put it: user (default), project, or a team's folder
  --json               what was saved, and what is doubtful about it, as one JSON value

A built-in prompt of the same name is replaced by yours.

Examples
  capstan library add standup
  capstan library add standup --text "What did we do about {{topic}}?" --tag team
  capstan library add review --file review.md --argument "focus=security: what to look at"`,
  run,
}

async function run(context: LibraryContext, { values, positionals }: CommandInput): Promise<number> {
  const name = nameFrom(positionals)
  const library = await context.openLibrary()
  const save = async (draft: PromptDraft): Promise<StoredPrompt> => {
    return await put(library, withFlags({ ...draft, name: name ?? draft.name }, values), values)
  }
  const text = await givenText(context, values)
  if (text === undefined && name !== undefined) await refuseTaken(library, name, values)
  const stored = text === undefined ? await write(context, name, save) : await save(draftOf(text, name))
  if (stored === undefined) {
    context.io.err('Nothing was written, so nothing was added.\n')
    return exitCodes.ok
  }
  return await reportSaved(context, library, { stored, sentence: savedSentence('Added', stored) })
}

/** Said before somebody writes a whole prompt that then has no place. */
async function refuseTaken({ store }: PromptLibrary, name: string, values: CommandInput['values']): Promise<void> {
  if (!(await store.has(name, layerOf(values)))) return
  const { layer } = await store.get(name, layerOf(values))
  const isWritable = (await store.layers()).some((one) => one.name === layer && one.isWritable)
  if (isWritable) throw taken(name, `There is a prompt "${name}" already.`)
}

function taken(name: string, message: string, cause?: unknown): CapstanError {
  return new CapstanError('prompt_conflict', message, {
    cause,
    next: `Choose another name, or change it: capstan library edit ${name}`,
  })
}

async function put(
  { store }: PromptLibrary,
  draft: PromptDraft,
  values: CommandInput['values'],
): Promise<StoredPrompt> {
  try {
    return await store.put(draft, { ...layerOf(values), ...writer, expectedRevision: 0 })
  } catch (error) {
    if (!(error instanceof CapstanError) || error.code !== 'prompt_conflict') throw error
    throw taken(draft.name, error.message, error)
  }
}

async function write(
  context: LibraryContext,
  name: string | undefined,
  save: (draft: PromptDraft) => Promise<StoredPrompt>,
): Promise<StoredPrompt | undefined> {
  return await editText(context, {
    name: name ?? 'prompt',
    text: emptyDocument(name ?? 'my_prompt'),
    save: async (text) => await save(readDocument(text)),
    resume: `capstan library add${name === undefined ? '' : ` ${name}`}`,
  })
}

function draftOf(text: string, name: string | undefined): PromptDraft {
  if (isDocument(text)) return readDocument(text)
  if (name !== undefined) return promptOfText(name, text)
  throw new CapstanError('usage', 'What shall it be called?', { next: 'Write: capstan library add NAME --text "…"' })
}

function nameFrom([name, ...more]: readonly string[]): string | undefined {
  if (more.length > 0) {
    throw new CapstanError('usage', `"${more.join(' ')}" is more than a name.`, {
      next: 'Put the text into quotes behind --text.',
    })
  }
  if (name === undefined || isPromptName(name)) return name
  throw new CapstanError('usage', `"${name}" cannot be the name of a prompt: names have 1 to 64 of a-z, 0-9 and _.`, {
    next: `For example: capstan library add ${promptNameFor(name)} --title "${name}"`,
  })
}
