import { messageOf } from '../../errors.ts'
import { promptNameFor } from '../prompt-name.ts'
import type { Prompt, PromptArgument } from '../prompt.ts'
import { readPrompt } from '../read-prompt.ts'
import { argumentNameFor, distinctNames, spellArguments } from './argument-spelling.ts'
import { mapTexts, readBody, writeBody } from './body.ts'
import { fieldsToCarry, withCarried } from './carried-fields.ts'
import { readCsv, writeCsv, type CsvRow } from './csv.ts'
import type { FoundPrompt, PromptFormat, Reading, TextFile, UnusablePart, Writing } from './format.ts'
import { keptFields, lossesOf, type ArgumentsInText } from './markdown-prompt.ts'
import { isObject, type JsonObject } from '../../json.ts'

/** The table of prompts.chat: `act` is the title, `prompt` the text with `${name:default}`; other columns are kept. */
export const promptsCsv: PromptFormat = { title: 'the CSV table of prompts.chat', read, write }

const ownColumns: ReadonlySet<string> = new Set(['act', 'prompt', 'capstan'])

function read(files: readonly TextFile[]): Reading {
  const readings = files.filter(({ path }) => path.endsWith('.csv')).map(readTable)
  return {
    prompts: readings.flatMap(({ prompts }) => prompts),
    unusable: readings.flatMap(({ unusable }) => unusable),
  }
}

function readTable({ path, text }: TextFile): Reading {
  const prompts: FoundPrompt[] = []
  const unusable: UnusablePart[] = []
  const taken = new Set<string>()
  try {
    const [head, ...rows] = readCsv(text)
    const columns = head?.cells.map((name) => name.trim()) ?? []
    if (!columns.includes('act') || !columns.includes('prompt')) {
      return { prompts, unusable: [{ from: path, reason: 'its first line names no columns "act" and "prompt"' }] }
    }
    for (const row of rows) {
      const from = `${path}:${row.line}`
      try {
        const draft = promptFrom(row, columns, taken)
        taken.add(draft.name)
        prompts.push({ draft, from, notes: [] })
      } catch (error) {
        unusable.push({ from, reason: messageOf(error) })
      }
    }
  } catch (error) {
    unusable.push({ from: path, reason: messageOf(error) })
  }
  return { prompts, unusable }
}

function promptFrom({ cells }: CsvRow, columns: readonly string[], taken: ReadonlySet<string>): Prompt {
  const values = new Map(columns.map((name, at) => [name, cells[at] ?? '']))
  const title = values.get('act')?.trim() ?? ''
  const carried = readCarried(values.get('capstan') ?? '')
  const text = values.get('prompt') ?? ''
  const found = carried['arguments'] === undefined ? findArguments(text) : unspelled(text, carried)
  const rest = [...values].filter(([name, value]) => name !== '' && !ownColumns.has(name) && value !== '')
  const plain = {
    name: promptNameFor(title, (name) => taken.has(name)),
    ...(title === '' ? {} : { title }),
    arguments: found.arguments,
    ...readBody(found.text),
    tags: [],
    ...(rest.length === 0 ? {} : { meta: { csv: Object.fromEntries(rest) } }),
  }
  return readPrompt(withCarried(plain, carried))
}

// Names as people write them; code in prompts is full of `${…}` that is none.
const variables = /\$\{([\p{L}_][\p{L}\p{M}\p{N}_ .-]{0,60})(?::([^{}]*))?\}/gu

function findArguments(text: string): ArgumentsInText {
  const labels = [...new Set(Array.from(text.matchAll(variables), ([, label = '']) => label))]
  const names = distinctNames(labels.map((label) => argumentNameFor(label) || 'value'))
  const found = labels.map((label, at): PromptArgument => {
    const name = names[at] ?? label
    const [, , preset] =
      [...text.matchAll(variables)].find((match) => match[1] === label && match[2] !== undefined) ?? []
    return {
      name,
      ...(name === label ? {} : { description: label.trim() }),
      required: preset === undefined || preset === '',
      ...(preset === undefined || preset === '' ? {} : { default: preset }),
    }
  })
  return {
    arguments: found,
    text: text.replaceAll(variables, (_, label: string) => `{{${names[labels.indexOf(label)]}}}`),
  }
}

function unspelled(text: string, carried: JsonObject): ArgumentsInText {
  const { arguments: declared } = readPrompt({
    name: 'carried',
    arguments: carried['arguments'],
    messages: [{ role: 'user', content: '' }],
  })
  const labels = new Map(declared.map((argument) => [labelOf(argument), argument.name]))
  const known = text.replaceAll(variables, (whole, label: string) => {
    const name = labels.get(label)
    return name === undefined ? whole : `{{${name}}}`
  })
  return { arguments: declared, text: known }
}

function readCarried(text: string): JsonObject {
  if (text === '') return {}
  const value: unknown = JSON.parse(text)
  return isObject(value) ? value : {}
}

function write(prompts: readonly Prompt[]): Writing {
  const kept = [...new Set(prompts.flatMap((prompt) => Object.keys(keptFields(prompt, 'csv'))))]
  const others = (kept.length === 0 ? ['for_devs', 'type', 'contributor'] : kept).filter(
    (name) => !ownColumns.has(name),
  )
  const rows = prompts.map((prompt) => rowFor(prompt, others))
  const plainly = readTable({ path: 'prompts.csv', text: writeCsv([['act', 'prompt', ...others], ...rows]) }).prompts
  const carried = prompts.map((prompt, at) => fieldsToCarry(prompt, plainly[at]?.draft))
  const isCarrying = carried.some((fields) => fields !== undefined)
  const text = writeCsv([
    ['act', 'prompt', ...others, ...(isCarrying ? ['capstan'] : [])],
    ...rows.map((row, at) => [
      ...row,
      ...(isCarrying ? [carried[at] === undefined ? '' : JSON.stringify(carried[at])] : []),
    ]),
  ])
  const again = readTable({ path: 'prompts.csv', text }).prompts
  return {
    files: [{ path: 'prompts.csv', text }],
    losses: prompts.flatMap((prompt, at) => lossesOf(prompt, again[at]?.draft)),
  }
}

function rowFor(prompt: Prompt, others: readonly string[]): readonly string[] {
  const fields = keptFields(prompt, 'csv')
  const text = writeBody(mapTexts(prompt, (part) => spellArguments(part, prompt.arguments, variableFor)))
  return [
    prompt.title ?? prompt.name,
    text,
    ...others.map((name) => {
      const value = fields[name]
      return typeof value === 'string' ? value : ''
    }),
  ]
}

function variableFor(argument: PromptArgument): string {
  const preset = argument.default
  const isSayable = preset !== undefined && preset !== '' && !/[{}]/.test(preset)
  return `\${${labelOf(argument)}${isSayable ? `:${preset}` : ''}}`
}

/** The words that the table had, where the name was made from them. */
function labelOf({ name, description }: PromptArgument): string {
  const isLabel = description !== undefined && /^[\p{L}_][\p{L}\p{M}\p{N}_ .-]{0,60}$/u.test(description)
  return isLabel && argumentNameFor(description) === name ? description : name
}
