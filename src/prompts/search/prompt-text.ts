import type { Prompt } from '../prompt.ts'

/** Where in a prompt a word may stand, the most telling first. */
export const searchFields = ['title', 'name', 'description', 'tags', 'content', 'arguments'] as const

export type SearchField = (typeof searchFields)[number]

export const fieldWeights: Readonly<Record<SearchField, number>> = {
  title: 10,
  name: 8,
  description: 5,
  tags: 3,
  content: 1,
  arguments: 1,
}

/** What a prompt is found by. */
export function textOf(prompt: Prompt): Readonly<Record<SearchField, string>> {
  return {
    title: prompt.title ?? '',
    name: prompt.name.replaceAll('_', ' '),
    description: (prompt.description ?? '').slice(0, maxText),
    tags: prompt.tags.join(' '),
    content: contentOf(prompt).slice(0, maxText),
    arguments: prompt.arguments
      .map(({ name, description = '' }) => `${name} ${description}`)
      .join('\n')
      .slice(0, maxText),
  }
}

// Prompts say at the beginning what they are for; what follows makes the index large and helps little to find them.
const maxText = 1_500

function contentOf({ messages, steps = [] }: Prompt): string {
  const texts = messages.flatMap(({ content }) => {
    if (content.type === 'text') return [content.text]
    return content.type === 'resource' && 'text' in content.resource ? [content.resource.text] : []
  })
  return [...texts, ...steps.flatMap(({ title, text }) => (text === undefined ? [title] : [title, text]))].join('\n')
}
