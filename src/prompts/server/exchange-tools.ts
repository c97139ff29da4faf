import { formats } from '../formats/formats.ts'
import { formatIds, type FormatId } from '../formats/ids.ts'
import type { Reading, TextFile } from '../formats/format.ts'
import type { PromptDraft } from '../prompt.ts'
import { hasAnyTag } from '../tags.ts'
import { proposalOf, waiting } from './change-library.ts'
import { badArguments } from './bad-arguments.ts'
import { choice, list, object, promptName, text } from './schemas.ts'
import { dataResult, type LibraryTool, type ToolArguments, type ToolCall } from './tool.ts'
import { isObject } from '../../json.ts'

const fileSchema = object({ path: text('Relative, with / between its parts.'), text: text() })
const formatSchema = choice(formatIds, formatIds.map((id) => `${id}: ${formats[id].title}`).join('; '))

export const importPrompts: LibraryTool = {
  writes: true,
  definition: {
    name: 'import_prompts',
    title: 'Import prompts',
    description:
      'Takes in prompts that are written in the format of another program. The files come with the call; none is read from disk. Prompts of the same name get a new revision.',
    inputSchema: object({
      format: formatSchema,
      files: list(fileSchema, 'What to read; the path says what kind of file it is.'),
    }),
    outputSchema: object({
      status: choice(['saved', 'proposed'], 'Whether it is done, or waits for a person to allow it.'),
      prompts: list(object({ name: text(), from: text(), notes: list(text()) })),
      unusable: list(object({ from: text(), reason: text() })),
      message: text(),
    }),
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  },
  async run(args, call) {
    const reading = formats[formatIn(args)].read(filesIn(args))
    if (reading.prompts.length === 0) throw nothingUsable(reading)
    await saveAll(
      reading.prompts.map(({ draft }) => draft),
      call,
    )
    const status = call.library.writing === 'propose' ? 'proposed' : 'saved'
    return dataResult({
      status,
      prompts: reading.prompts.map(({ draft, from, notes }) => ({ name: draft.name, from, notes })),
      unusable: reading.unusable,
      message: `${reading.prompts.length} prompts are ${status}.${status === 'proposed' ? ` ${waiting}` : ''}`,
    })
  },
}

export const exportPrompts: LibraryTool = {
  writes: false,
  definition: {
    name: 'export_prompts',
    title: 'Export prompts',
    description:
      'Writes prompts in the format of another program, and gives back the files; nothing is written to disk. losses says what that format cannot hold.',
    inputSchema: object({
      format: formatSchema,
      'names?': list(promptName, 'Only these; all if absent.'),
      'tags?': list(text(), 'Only prompts with one of these tags.'),
    }),
    outputSchema: object({ files: list(fileSchema), losses: list(text()) }),
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  async run(args, { library: { store } }) {
    const [names, tags] = [args.texts('names'), args.texts('tags')]
    const named = args.has('names') ? await Promise.all(names.map((name) => store.get(name))) : await store.list()
    const chosen = named.map(({ prompt }) => prompt).filter((prompt) => tags.length === 0 || hasAnyTag(prompt, tags))
    const { files, losses } = formats[formatIn(args)].write(chosen)
    return dataResult({ files, losses })
  },
}

async function saveAll(drafts: readonly PromptDraft[], { library, by }: ToolCall): Promise<void> {
  if (library.writing === 'direct') await library.store.putAll(drafts, { by })
  else {
    const proposals = await Promise.all(drafts.map((prompt) => proposalOf(library, { kind: 'put', prompt }, by)))
    await library.proposals.add(proposals)
  }
}

function formatIn(args: ToolArguments): FormatId {
  return args.choice('format', formatIds)
}

function filesIn(args: ToolArguments): readonly TextFile[] {
  const raw = args.raw('files')
  if (!Array.isArray(raw) || raw.length === 0)
    throw badArguments('import_prompts: files must be a list of at least one file.')
  return raw.map((file: unknown) => {
    if (!isObject(file) || typeof file['path'] !== 'string' || typeof file['text'] !== 'string') {
      throw badArguments('import_prompts: each of files must have a path and a text.')
    }
    return { path: file['path'].replace(/^(?:\.?\/)+/, ''), text: file['text'] }
  })
}

function nothingUsable({ unusable }: Reading): Error {
  const [first] = unusable
  const why = first === undefined ? 'None of the files is of that format.' : `${first.from}: ${first.reason}`
  return badArguments(`There is no prompt in what was given. ${why}`, 'Choose the format that fits the files.')
}
