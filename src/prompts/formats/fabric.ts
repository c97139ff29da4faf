import { messageOf } from '../../errors.ts'
import type { Prompt } from '../prompt.ts'
import { readPrompt } from '../read-prompt.ts'
import { readBody, writeBody } from './body.ts'
import { fieldsToCarry, withCarried } from './carried-fields.ts'
import { fileName, namesFor, stemsFor } from './file-names.ts'
import type { FoundPrompt, PromptFormat, Reading, TextFile, UnusablePart, Writing } from './format.ts'
import { lossesOf } from './markdown-prompt.ts'
import { isObject, type JsonObject } from '../../json.ts'

/**
 * fabric's patterns: a folder with `system.md`, and sometimes `user.md`. Arguments are spelled as ours are, but most braces in
 * them belong to somebody else: only `{{input}}` is taken for one. What has no place there stands in `capstan.json` beside.
 */
export const fabricPatterns: PromptFormat = { title: 'fabric patterns (NAME/system.md)', read, write }

function read(files: readonly TextFile[]): Reading {
  const systems = files.filter(({ path }) => fileName(path) === 'system.md')
  const names = namesFor(systems.map(({ path }) => ({ words: folderOf(path), folders: [] })))
  const prompts: FoundPrompt[] = []
  const unusable: UnusablePart[] = []
  for (const [at, { path, text }] of systems.entries()) {
    try {
      const draft = promptFrom({ name: names[at] ?? '', system: text, ...besides(path, files) })
      prompts.push({ draft, from: path, notes: [] })
    } catch (error) {
      unusable.push({ from: path, reason: text.trim() === '' ? 'it holds no text' : messageOf(error) })
    }
  }
  return { prompts, unusable }
}

function folderOf(path: string): string {
  return path.split('/').at(-2) ?? 'pattern'
}

interface Pattern {
  readonly name: string
  readonly system: string
  readonly user: string
  readonly carried: JsonObject
}

function besides(path: string, files: readonly TextFile[]): Pick<Pattern, 'user' | 'carried'> {
  const folder = path.slice(0, -'system.md'.length)
  const textOf = (name: string) => files.find((file) => file.path === `${folder}${name}`)?.text.trim() ?? ''
  return { user: textOf('user.md'), carried: readCarried(textOf('capstan.json')) }
}

function readCarried(text: string): JsonObject {
  if (text === '') return {}
  const value: unknown = JSON.parse(text)
  return isObject(value) ? value : {}
}

function promptFrom({ name, system, user, carried }: Pattern): Prompt {
  const body = readBody(unified(system))
  const second = readBody(unified(user)).messages
  const description = firstSentence(unified(system))
  const takesInput = /\{\{[ \t]*input[ \t]*\}\}/.test(system + user)
  const plain = {
    name,
    ...(description === undefined ? {} : { description }),
    arguments: takesInput ? [{ name: 'input', required: false }] : [],
    ...body,
    messages: [...body.messages, ...second],
    tags: [],
  }
  return readPrompt(withCarried(plain, carried))
}

function unified(text: string): string {
  return text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n')
}

const longest = 200

/** Patterns have no description, but begin with a paragraph that says what they do. */
function firstSentence(text: string): string | undefined {
  const paragraph = text
    .split(/\n\s*\n/)
    .map((part) =>
      part
        .replaceAll(/^#.*$|^<!--.*-->$/gm, '')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    )
    .find((part) => part !== '')
  const sentence = /^.*?[.!?](?=\s|$)/.exec(paragraph ?? '')?.[0] ?? paragraph
  if (sentence === undefined || sentence === '') return undefined
  return sentence.length > longest ? `${sentence.slice(0, longest - 1).trimEnd()}…` : sentence
}

function write(prompts: readonly Prompt[]): Writing {
  const stems = stemsFor(prompts.map(({ name }) => name)).map((stem) => stem.replaceAll('-', '_'))
  const written = prompts.map((prompt, at) => writePattern(prompt, stems[at] ?? prompt.name))
  return { files: written.flatMap(({ files }) => files), losses: written.flatMap(({ losses }) => losses) }
}

function writePattern(prompt: Prompt, stem: string): Writing {
  const file = { path: `${stem}/system.md`, text: `${writeBody(prompt)}\n` }
  const carried = fieldsToCarry(prompt, read([file]).prompts[0]?.draft)
  const beside =
    carried === undefined ? [] : [{ path: `${stem}/capstan.json`, text: `${JSON.stringify(carried, null, 2)}\n` }]
  return { files: [file, ...beside], losses: lossesOf(prompt, read([file, ...beside]).prompts[0]?.draft) }
}
