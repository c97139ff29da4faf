import type {
  CompleteRequestParams,
  CompleteResult,
  GetPromptResult,
  ListPromptsResult,
} from '@modelcontextprotocol/server'
import type { Prompt, PromptArgument } from '../prompt.ts'
import type { StoredPrompt } from '../store.ts'
import { renderServed, type Library } from './library.ts'
import { pageOf } from './pages.ts'

export const tagsKey = 'capstan/tags'

export async function listPrompts(library: Library, cursor: string | undefined): Promise<ListPromptsResult> {
  const { items, nextCursor } = pageOf(await library.store.list(), {
    nameOf: ({ prompt }) => prompt.name,
    size: library.pageSize,
    ...(cursor === undefined ? {} : { cursor }),
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
    ...(choices !== undefined || type === undefined || type === 'string' ? [] : [`a ${type}`]),
    ...(fallback === undefined ? [] : [`else ${fallback}`]),
  ]
  const text = [description, notes.length === 0 ? undefined : `(${notes.join('; ')})`]
    .filter((part) => part !== undefined)
    .join(' ')
  return { name, ...(text === '' ? {} : { description: text }), required: required && fallback === undefined }
}

export async function getPrompt(
  library: Library,
  name: string,
  args: Readonly<Record<string, string>>,
): Promise<GetPromptResult> {
  const { prompt } = await library.store.get(name)
  return {
    ...(prompt.description === undefined ? {} : { description: prompt.description }),
    messages: await renderServed(library, prompt, args),
  }
}

/** As the specification has it. */
const maxCompletions = 100

export async function completeArgument(
  library: Library,
  { ref, argument }: CompleteRequestParams,
): Promise<CompleteResult> {
  if (ref.type !== 'ref/prompt') return { completion: { values: [], total: 0, hasMore: false } }
  const { prompt } = await library.store.get(ref.name)
  const values = matching(candidates(library, prompt, argument.name), argument.value)
  return {
    completion: {
      values: values.slice(0, maxCompletions),
      total: values.length,
      hasMore: values.length > maxCompletions,
    },
  }
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
