import { CapstanError } from '../../../errors.ts'
import { readDocument, writeDocument } from '../../../prompts/formats/document.ts'
import type { PromptDraft } from '../../../prompts/prompt.ts'
import type { StoredPrompt } from '../../../prompts/store.ts'
import type { CommandInput } from '../../command.ts'
import { exitCodes } from '../../exit-codes.ts'
import type { PromptLibrary } from '../../prompt-library.ts'
import { layerOf, onlyName, promptNamed } from './choose-prompts.ts'
import { editText } from './edit-text.ts'
import { givenText, isDocument, promptOfText, withFlags } from './prompt-from-flags.ts'
import { reportSaved, savedSentence, writer } from './saved.ts'
import type { LibraryContext, Subcommand } from './subcommand.ts'

export const subcommand: Subcommand = {
  help: `Change a prompt in your editor (VISUAL, EDITOR, else vi), or by flags. What it was before stays in its history. What cannot be
saved, because it has a mistake or somebody else was faster, is kept, and its place named.

  --text TEXT          a new text; a new {{word}} in it is an argument
  --file FILE          the text from a file, or - for standard input. A file that begins with --- has the fields on top
  --title TEXT         what people call it
  --description TEXT   one sentence: what it is for
  --tag TAG            these tags instead; may be given again
  --argument ARG       add or replace an argument, as in "library add"; may be given again
  --layer NAME         the prompt of this layer; a built-in one is copied into yours
  --json               what was saved, and what is doubtful about it, as one JSON value

Examples
  capstan library edit standup
  capstan library edit standup --description "Questions for the morning" --tag team`,
  run,
}

async function run(context: LibraryContext, input: CommandInput): Promise<number> {
  const { values } = input
  const library = await context.openLibrary()
  const before = await promptNamed(library.store, onlyName(input, 'edit'), layerOf(values))
  const text = await givenText(context, values)
  const stored =
    text !== undefined || isChangedByFlags(values)
      ? await save(library, before, withFlags(draftOf(text, before), values))
      : await writeAnew(context, library, before)
  if (stored === undefined || (stored.revision === before.revision && stored.layer === before.layer)) {
    context.io.err('Nothing was changed.\n')
    return exitCodes.ok
  }
  return await reportSaved(context, library, { stored, sentence: savedSentence('Saved', stored) })
}

function isChangedByFlags(values: CommandInput['values']): boolean {
  return ['title', 'description', 'tag', 'argument'].some((flag) => values[flag] !== undefined)
}

async function writeAnew(
  context: LibraryContext,
  library: PromptLibrary,
  before: StoredPrompt,
): Promise<StoredPrompt | undefined> {
  const { name } = before.prompt
  return await editText(context, {
    name,
    text: writeDocument(before.prompt),
    save: async (text) => await save(library, before, readDocument(text, before.prompt)),
    resume: `capstan library edit ${name}`,
  })
}

function draftOf(text: string | undefined, { prompt }: StoredPrompt): PromptDraft {
  if (text === undefined) return prompt
  return isDocument(text) ? readDocument(text, prompt) : promptOfText(prompt.name, text, prompt)
}

/** Refused when somebody has changed it since it was read. What is built in is copied into the user's layer. */
async function save({ store }: PromptLibrary, before: StoredPrompt, draft: PromptDraft): Promise<StoredPrompt> {
  const { name } = before.prompt
  if (draft.name !== name) {
    throw new CapstanError('prompt_invalid', `The name was changed from ${name} to ${draft.name}.`, {
      next: `Leave the name, and rename it with: capstan library rename ${name} ${draft.name}`,
    })
  }
  const layer = (await store.layers()).find((one) => one.name === before.layer)
  return layer?.isWritable === true
    ? await store.put(draft, { layer: layer.name, expectedRevision: before.revision, ...writer })
    : await store.put(draft, { layer: 'user', expectedRevision: 0, ...writer })
}
