import type { CompleteResult, GetPromptResult, ListPromptsResult } from '@modelcontextprotocol/server'
import type { Fields } from '../fields.ts'
import type { Prompt, PromptArgument } from '../prompt.ts'
import type { StoredPrompt } from '../store.ts'
import { renderServed, type Library } from './library.ts'
import { pageOf } from './pages.ts'
import { valuesIn } from './tool.ts'

const tagsKey = 'capstan/tags'

export async function listPrompts(library: Library, params: Fields): Promise<ListPromptsResult> {
  const { items, nextCursor } = pageOf(await library.store.list(), {
    nameOf: ({ prompt }) => prompt.name,
    size: library.pageSize,
    ...params.optionalText('cursor'),
  })
  return { prompts: items.map(listed), ...(nextCursor === undefined ? {} : { nextCursor }) }
}

/** How a prompt stands in a list. */
export function listed({ prompt }: StoredPrompt): ListPromptsResult['prompts'][number] {
  const { name, title, description, tags } = prompt
  return {
    name,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    arguments: prompt.arguments.map(listedArgument),
    ...(tags.length === 0 ? {} : { _meta: { [tagsKey]: [...tags] } }),
  }
}

/** MCP has no words for types and choices, so the description says them. */
function listedArgument({ name, description, required, type, default: fallback, enum: choices }: PromptArgument): {
  name: string
  description?: string
  required: boolean
} {
  const notes = [
    ...(choices === undefined ? [] : [`one of ${choices.join(', ')}`]),
    ...(choices !== undefined || type === undefined || type === 'string' ? [] : [typeWords[type]]),
    ...(fallback === undefined ? [] : [`else ${fallback}`]),
  ]
  const text = [description, notes.length === 0 ? undefined : `(${notes.join('; ')})`]
    .filter((part) => part !== undefined)
    .join(' ')
  return { name, ...(text === '' ? {} : { description: text }), required: required && fallback === undefined }
}

const typeWords = { number: 'a number', integer: 'a whole number', boolean: 'true or false' } as const

export async function getPrompt(library: Library, params: Fields): Promise<GetPromptResult> {
  const { prompt } = await library.store.get(params.text('name'))
  const { description } = prompt
  const messages = await renderServed(library, prompt, valuesIn(params, 'arguments'))
  return { ...(description === undefined ? {} : { description }), messages }
}

/** As the specification has it. */
const maxCompletions = 100

export async function completeArgument(library: Library, params: Fields): Promise<CompleteResult> {
  const [ref, argument] = [params.within('ref'), params.within('argument')]
  const [name, typed] = [argument.text('name'), argument.text('value')]
  if (ref.choice('type', ['ref/prompt', 'ref/resource']) === 'ref/resource') return completion([])
  const { prompt } = await library.store.get(ref.text('name'))
  return completion(matching(candidates(library, prompt, name), typed))
}

function completion(values: readonly string[]): CompleteResult {
  const { length: total } = values
  return { completion: { values: values.slice(0, maxCompletions), total, hasMore: total > maxCompletions } }
}

/** The choices where there are some; else what was given before, then what the author suggests. */
function candidates({ seen }: Library, prompt: Prompt, argumentName: string): readonly string[] {
  const argument = prompt.arguments.find(({ name }) => name === argumentName)
  if (argument === undefined) return []
  if (argument.enum !== undefined) return argument.enum
  if (argument.type === 'boolean') return ['true', 'false']
  const { default: fallback, examples = [] } = argument
  return [...seen.of(prompt.name, argumentName), ...(fallback === undefined ? [] : [fallback]), ...examples]
}

/** Those that begin with what was typed, then those that hold it; case does not matter. */
function matching(values: readonly string[], typed: string): string[] {
  const wanted = typed.toLowerCase()
  const found = [...new Set(values)].filter((value) => value.toLowerCase().includes(wanted))
  const begins = (value: string) => value.toLowerCase().startsWith(wanted)
  return [...found.filter(begins), ...found.filter((value) => !begins(value))]
}
