import type { PromptArgument } from '../prompt.ts'
import { argumentNameFor, distinctNames, spellArguments } from './argument-spelling.ts'
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

/** VS Code's prompt files: `NAME.prompt.md`. */
export const vscodePrompts: PromptFormat = {
  title: 'VS Code prompt files (NAME.prompt.md)',
  read: (files) => readMarkdownPrompts(files, dialect),
  write: (prompts) => writeMarkdownPrompts(prompts, dialect),
}

const ending = '.prompt.md'

const dialect: MarkdownDialect = {
  id: 'vscode',
  known: ['name', 'description'],
  isOurs: (path) => path.endsWith(ending),
  placeOf: (path, fields) => ({
    words: textField(fields, 'name') ?? fileName(path).slice(0, -ending.length),
    folders: foldersBelow(path, 'prompts'),
  }),
  tagsOf: folderTags,
  findArguments,
  unspell,
  spell: (text, declared) => spellArguments(text, declared, inputOf),
  pathFor: (stem) => `${stem}${ending}`,
  fieldsFor: (prompt) => ({
    ...(prompt.description ? { description: prompt.description } : {}),
    ...keptFields(prompt, 'vscode'),
  }),
}

// The other variables (`${file}`, `${selection}`) are the editor's own, and stay.
const inputs = /\$\{input:([^:}\n]+)(?::([^}\n]*))?\}/g

function findArguments(text: string): ArgumentsInText {
  const labels = [...new Set(Array.from(text.matchAll(inputs), ([, label = '']) => label))]
  const names = distinctNames(labels.map((label) => argumentNameFor(label) || 'input'))
  const found = labels.map((label, at): PromptArgument => {
    const [, , hint] = [...text.matchAll(inputs)].find((match) => match[1] === label && match[2] !== undefined) ?? []
    const description = hint === undefined || hint.trim() === '' ? undefined : hint.trim()
    return { name: names[at] ?? label, ...(description === undefined ? {} : { description }), required: false }
  })
  return {
    arguments: found,
    text: text.replaceAll(inputs, (whole, label: string) => {
      const argument = found[labels.indexOf(label)]
      return argument === undefined ? whole : `{{${argument.name}}}`
    }),
  }
}

function unspell(text: string, declared: readonly PromptArgument[]): string {
  const known = new Set(declared.map(({ name }) => name))
  return text.replaceAll(inputs, (whole, label: string) => (known.has(label) ? `{{${label}}}` : whole))
}

/** An argument as VS Code asks for it. */
export function inputOf({ name, description = '' }: PromptArgument): string {
  const hint = description.replaceAll(/[\s}]+/g, ' ').trim()
  return hint === '' ? `\${input:${name}}` : `\${input:${name}:${hint}}`
}
