import { messageOf } from '../../errors.ts'
import type { Prompt, PromptArgument } from '../prompt.ts'
import { readPrompt } from '../read-prompt.ts'
import { mapTexts, readBody, writeBody } from './body.ts'
import { fieldsToCarry, readCarried, withCarried, withoutCarried, writeCarried } from './carried-fields.ts'
import type { FoundPrompt, Reading, TextFile, Writing } from './format.ts'
import { namesFor, stemsFor } from './file-names.ts'
import { otherFields, readFrontMatter, textField, writeFrontMatter } from './front-matter.ts'
import type { JsonObject } from '../../json.ts'

/** How one client writes a prompt as Markdown with front matter. */
export interface MarkdownDialect {
  /** The key under which a prompt keeps what only this client understands. */
  readonly id: string
  /** Fields of the front matter that become part of the prompt; the others are kept as they are. */
  readonly known: readonly string[]
  /** Whether `argument-hint` says no more than the arguments do, so that it need not be kept beside them. */
  readonly isHintTold?: (hint: string, declared: readonly PromptArgument[]) => boolean
  /** Whether a file is one of this dialect. */
  readonly isOurs: (path: string) => boolean
  /** The words that a prompt in this file is called by, and the folders that it stands in. */
  readonly placeOf: (
    path: string,
    fields: JsonObject,
  ) => { readonly words: string; readonly folders: readonly string[] }
  readonly tagsOf: (folders: readonly string[]) => readonly string[]
  /** Finds the arguments in a text of somebody else's. */
  readonly findArguments: (text: string, fields: JsonObject) => ArgumentsInText
  /** Takes back `spell`, where the arguments are known. */
  readonly unspell: (text: string, declared: readonly PromptArgument[]) => string
  readonly spell: (text: string, declared: readonly PromptArgument[]) => string
  readonly pathFor: (stem: string) => string
  readonly fieldsFor: (prompt: Prompt, stem: string) => JsonObject
  /** What this client does with a text and we do not. */
  readonly notesOn?: (text: string) => readonly string[]
}

export interface ArgumentsInText {
  readonly text: string
  readonly arguments: readonly PromptArgument[]
}

export function readMarkdownPrompts(files: readonly TextFile[], dialect: MarkdownDialect): Reading {
  const own = files.filter(({ path }) => dialect.isOurs(path)).map((file) => ({ file, ...readFrontMatter(file.text) }))
  const places = own.map(({ file, fields }) => dialect.placeOf(file.path, fields))
  const names = namesFor(places)
  const prompts: FoundPrompt[] = []
  const unusable: Reading['unusable'][number][] = []
  for (const [at, { file, fields, body }] of own.entries()) {
    const name = names[at] ?? ''
    const tags = dialect.tagsOf(places[at]?.folders ?? [])
    try {
      const draft = promptFrom({ name, tags, fields, body }, dialect)
      prompts.push({ draft, from: file.path, notes: dialect.notesOn?.(body) ?? [] })
    } catch (error) {
      unusable.push({ from: file.path, reason: body === '' ? 'it holds no text' : messageOf(error) })
    }
  }
  return { prompts, unusable }
}

export function writeMarkdownPrompts(prompts: readonly Prompt[], dialect: MarkdownDialect): Writing {
  const stems = stemsFor(prompts.map(({ name }) => name))
  const written = prompts.map((prompt, at) => writeMarkdownPrompt(prompt, dialect, stems[at] ?? prompt.name))
  return { files: written.map(({ file }) => file), losses: written.flatMap(({ losses }) => losses) }
}

function writeMarkdownPrompt(
  prompt: Prompt,
  dialect: MarkdownDialect,
  stem: string,
): { readonly file: TextFile; readonly losses: readonly string[] } {
  const path = dialect.pathFor(stem)
  const body = writeBody(mapTexts(prompt, (text) => dialect.spell(text, prompt.arguments)))
  const fields = dialect.fieldsFor(prompt, stem)
  const plainly = readBack({ path, text: writeFrontMatter({ fields, body }) }, dialect)
  const text = writeFrontMatter({ fields: writeCarried(fields, fieldsToCarry(prompt, plainly)), body })
  return { file: { path, text }, losses: lossesOf(prompt, readBack({ path, text }, dialect)) }
}

type Texts = Pick<Prompt, 'messages' | 'steps'>

/** What cannot be told from the written file, for people. */
export function lossesOf(prompt: Prompt, again: Texts | undefined): readonly string[] {
  const others = prompt.messages.filter(({ content }) => content.type !== 'text').length
  const texts = { ...prompt, messages: prompt.messages.filter(({ content }) => content.type === 'text') }
  const isSame = again !== undefined && comparable(texts) === comparable(again)
  return [
    ...(others === 0 ? [] : [`${prompt.name}: ${others} of its messages hold no text, and are left out.`]),
    ...(prompt.template === 'plus'
      ? [`${prompt.name}: {{#if …}} and {{> …}} mean something to Capstan alone, and stay in the text as they are.`]
      : []),
    ...(isSame || others > 0
      ? []
      : [`${prompt.name}: some of its text means something else in this format, and would not come back the same.`]),
  ]
}

function comparable({ messages, steps = [] }: Texts): string {
  return JSON.stringify([
    messages.map(({ role, content }) => [role, content.type === 'text' ? content.text.trim() : content]),
    steps.map(({ title, text }) => [title, text?.trim() || undefined]),
  ])
}

function readBack(file: TextFile, dialect: MarkdownDialect): Prompt | undefined {
  return readMarkdownPrompts([file], dialect).prompts[0]?.draft
}

interface PromptText {
  readonly name: string
  readonly tags: readonly string[]
  readonly fields: JsonObject
  readonly body: string
}

function promptFrom({ name, tags, fields, body }: PromptText, dialect: MarkdownDialect): Prompt {
  const carried = readCarried(fields)
  const own = withoutCarried(fields)
  const declared = carriedArguments(carried)
  const found =
    declared === undefined
      ? dialect.findArguments(body, own)
      : { text: dialect.unspell(body, declared), arguments: declared }
  const description = textField(own, 'description')
  const hint = textField(own, 'argument-hint')
  const isTold = hint !== undefined && dialect.isHintTold?.(hint, found.arguments) === true
  const rest = otherFields(own, isTold ? [...dialect.known, 'argument-hint'] : dialect.known)
  const plain = {
    name,
    ...(description === undefined ? {} : { description }),
    arguments: found.arguments,
    ...readBody(found.text),
    tags,
    ...(Object.keys(rest).length === 0 ? {} : { meta: { [dialect.id]: rest } }),
  }
  return readPrompt(withCarried(plain, carried))
}

function carriedArguments(carried: JsonObject): readonly PromptArgument[] | undefined {
  if (carried['arguments'] === undefined) return undefined
  return readPrompt({ name: 'carried', arguments: carried['arguments'], messages: [{ role: 'user', content: '' }] })
    .arguments
}

/** What a prompt has kept of a client's own fields. */
export function keptFields({ meta }: Prompt, id: string): JsonObject {
  const kept = meta?.[id]
  return typeof kept === 'object' && kept !== null && !Array.isArray(kept) ? (kept as JsonObject) : {}
}
