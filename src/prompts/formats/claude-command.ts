import type { Prompt, PromptArgument } from '../prompt.ts'
import { dollarHint, dollarWords, readDollarText, unspellDollarText, writeDollarText } from './dollar-arguments.ts'
import { fileName, folderTags, foldersBelow } from './file-names.ts'
import type { PromptFormat } from './format.ts'
import { textField } from './front-matter.ts'
import {
  keptFields,
  readMarkdownPrompts,
  writeMarkdownPrompts,
  type ArgumentsInText,
  type MarkdownDialect,
} from './markdown-prompt.ts'
import type { JsonObject } from '../../json.ts'

/** Claude Code's slash commands: `commands/NAME.md`. */
export const claudeCommands: PromptFormat = {
  title: 'Claude Code commands (NAME.md)',
  read: (files) => readMarkdownPrompts(files, dialect),
  write: (prompts) => writeMarkdownPrompts(prompts, dialect),
}

const dialect: MarkdownDialect = {
  id: 'claude',
  known: ['description', 'arguments'],
  isHintTold: isHintFor,
  isOurs: (path) => path.endsWith('.md'),
  placeOf: (path) => ({
    words: fileName(path).slice(0, -'.md'.length),
    folders: foldersBelow(path, 'commands', 'prompts'),
  }),
  tagsOf: folderTags,
  findArguments: findDollarArguments,
  unspell: unspellDollarText,
  spell: (text, declared) => writeDollarText(text, declared, 'name'),
  pathFor: (stem) => `${stem}.md`,
  fieldsFor: (prompt) => ({
    ...(prompt.description ? { description: prompt.description } : {}),
    ...dollarFields(prompt),
    ...keptFields(prompt, 'claude'),
  }),
  notesOn: notesOnCommands,
}

/** Whether the hint is the one that we would write. */
export function isHintFor(hint: string, declared: readonly PromptArgument[]): boolean {
  return hint === dollarHint(declared)
}

/** The fields of the front matter that tell Claude Code of the arguments. */
export function dollarFields(prompt: Prompt): JsonObject {
  return {
    ...(prompt.arguments.length === 0 ? {} : { 'argument-hint': dollarHint(prompt.arguments) }),
    ...(prompt.arguments.length < 2 ? {} : { arguments: dollarWords(prompt.arguments) }),
  }
}

export function findDollarArguments(text: string, fields: JsonObject): ArgumentsInText {
  const named = textField(fields, 'arguments') ?? ''
  return readDollarText(text, {
    names: named.split(/[\s,[\]]+/).filter((name) => /^[A-Za-z_]\w*$/.test(name)),
    hint: textField(fields, 'argument-hint'),
  })
}

export function notesOnCommands(text: string): readonly string[] {
  const [command] = text.match(/(?<![\w`])!`[^`\n]+`/) ?? []
  return command === undefined
    ? []
    : [`Claude Code runs ${command} before it reads the text. Capstan runs nothing: it stays as it is.`]
}
