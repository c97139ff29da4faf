import type { Prompt } from '../prompt.ts'
import { dollarFields, findDollarArguments, isHintFor, notesOnCommands } from './claude-command.ts'
import { unspellDollarText, writeDollarText } from './dollar-arguments.ts'
import { fileName, folderTags, foldersBelow, isSafePath } from './file-names.ts'
import type { FoundPrompt, PromptFormat, Reading, TextFile, Writing } from './format.ts'
import { otherFields, textField } from './front-matter.ts'
import { keptFields, readMarkdownPrompts, writeMarkdownPrompts, type MarkdownDialect } from './markdown-prompt.ts'

/** Skills: a folder with `SKILL.md` and whatever it refers to. The other files are kept with the prompt, and written back. */
export const skillFolders: PromptFormat = { title: 'skills (NAME/SKILL.md)', read, write }

const dialect: MarkdownDialect = {
  id: 'skill',
  known: ['name', 'description', 'arguments'],
  isHintTold: isHintFor,
  isOurs: (path) => fileName(path) === 'SKILL.md',
  placeOf: (path, fields) => {
    const folders = foldersBelow(path, 'skills')
    return { words: textField(fields, 'name') ?? folders.at(-1) ?? 'skill', folders: folders.slice(0, -1) }
  },
  tagsOf: folderTags,
  findArguments: findDollarArguments,
  unspell: unspellDollarText,
  spell: (text, declared) => writeDollarText(text, declared, 'name'),
  pathFor: (stem) => `${stem}/SKILL.md`,
  fieldsFor: (prompt, stem) => ({
    name: stem,
    description: descriptionFor(prompt),
    ...dollarFields(prompt),
    ...otherFields(keptFields(prompt, 'skill'), ['files']),
  }),
  notesOn: notesOnCommands,
}

/** A skill without one cannot be used, and more than this is refused. */
function descriptionFor({ description, title, name }: Prompt): string {
  return (description || title || name.replaceAll('_', ' ')).slice(0, 1024)
}

const mostKept = 256 * 1024

function read(files: readonly TextFile[]): Reading {
  const { prompts, unusable } = readMarkdownPrompts(files, dialect)
  return { prompts: prompts.map((prompt) => withFilesBeside(prompt, files)), unusable }
}

function withFilesBeside({ draft, from, notes }: FoundPrompt, files: readonly TextFile[]): FoundPrompt {
  const folder = from.slice(0, -'SKILL.md'.length)
  const beside = files
    .filter(({ path }) => path.startsWith(folder) && path !== from)
    .map(({ path, text }) => [path.slice(folder.length), text] as const)
  if (beside.length === 0) return { draft, from, notes }
  const size = beside.reduce((sum, [, text]) => sum + Buffer.byteLength(text), 0)
  if (size > mostKept || !beside.every(([path]) => isSafePath(path))) {
    const note = `The ${beside.length} files beside it are not kept with it: together they are ${size} bytes, or have odd names.`
    return { draft, from, notes: [...notes, note] }
  }
  const meta = { ...draft.meta, skill: { ...keptFields(draft, 'skill'), files: Object.fromEntries(beside) } }
  const note = `The ${beside.length} files beside it are kept with it, and written back when it is exported as a skill.`
  return { draft: { ...draft, meta }, from, notes: [...notes, note] }
}

function write(prompts: readonly Prompt[]): Writing {
  const bare = prompts.map((prompt) => ({ ...prompt, ...metaWithoutFiles(prompt) }))
  const { files, losses } = writeMarkdownPrompts(bare, dialect)
  const beside = prompts.flatMap((prompt, at) => {
    const folder = (files[at]?.path ?? '').slice(0, -'SKILL.md'.length)
    return keptFiles(prompt).map(({ path, text }) => ({ path: `${folder}${path}`, text }))
  })
  return { files: [...files, ...beside], losses }
}

function keptFiles(prompt: Prompt): readonly TextFile[] {
  const files = keptFields(prompt, 'skill')['files']
  if (typeof files !== 'object' || files === null || Array.isArray(files)) return []
  return Object.entries(files).flatMap(([path, text]) => {
    return typeof text === 'string' && isSafePath(path) && path !== 'SKILL.md' ? [{ path, text }] : []
  })
}

/** The files stand beside `SKILL.md`, and need not stand in it as well. */
function metaWithoutFiles(prompt: Prompt): Pick<Prompt, 'meta'> {
  const { meta } = prompt
  if (meta === undefined || meta['skill'] === undefined) return {}
  const fields = otherFields(keptFields(prompt, 'skill'), ['files'])
  const isEmpty = Object.keys(fields).length === 0
  return { meta: isEmpty ? otherFields(meta, ['skill']) : { ...meta, skill: fields } }
}
