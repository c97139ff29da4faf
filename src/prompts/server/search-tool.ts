import { searchFields, type SearchField } from '../search/prompt-text.ts'
import type { PromptHit } from '../search.ts'
import { badArguments } from './bad-arguments.ts'
import { choice, list, object, text } from './schemas.ts'
import { dataResult, type LibraryTool } from './tool.ts'

export const searchPromptsTool: LibraryTool = {
  writes: false,
  definition: {
    name: 'search_prompts',
    title: 'Search prompts',
    description:
      'Finds prompts and runbooks by what they are for; typing errors and beginnings of words are forgiven. Without a query it lists what has the tags. Then use get_prompt.',
    inputSchema: object({
      'query?': text('Words, as a person would say them.'),
      'tags?': list(text(), 'Tags that it must have, all of them; language is there in language/go.'),
      'any_tags?': list(text(), 'Tags of which it must have one.'),
      'fields?': list(choice(searchFields, 'A part of a prompt.'), 'Look only there.'),
      'limit?': { type: 'integer', minimum: 1, maximum: 100, description: 'At most so many; 10 if absent.' },
      'min_score?': { type: 'number', minimum: 0, maximum: 1, description: 'Only what scores at least this much.' },
    }),
    outputSchema: object({
      prompts: list(
        object({
          name: text(),
          'title?': text(),
          'description?': text(),
          tags: list(text()),
          arguments: list(object({ name: text(), 'description?': text(), required: { type: 'boolean' } })),
          score: { type: 'number', description: '0 to 1.' },
          matches: list(object({ field: text(), context: text('With the hit marked.') })),
        }),
      ),
    }),
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  async run(args, { library }) {
    const limit = args.number('limit', { least: 1, most: 100 })
    const minScore = args.number('min_score', { least: 0, most: 1 })
    const fields = args.texts('fields').map(fieldOf)
    const hits = await library.search.search(args.has('query') ? args.text('query') : '', {
      tags: args.texts('tags'),
      anyTags: args.texts('any_tags'),
      ...(fields.length === 0 ? {} : { fields }),
      ...(limit === undefined ? {} : { limit }),
      ...(minScore === undefined ? {} : { minScore }),
    })
    return dataResult({ prompts: hits.map(shownHit) }, hits.map(hitLine).join('\n') || 'Nothing was found.')
  },
}

function fieldOf(name: string): SearchField {
  const field = searchFields.find((known) => known === name)
  if (field === undefined)
    throw badArguments(`Prompts have no field "${name.slice(0, 80)}".`, `There are: ${searchFields.join(', ')}.`)
  return field
}

function shownHit({ stored: { prompt }, score, matches }: PromptHit): Record<string, unknown> {
  const { name, title, description, tags } = prompt
  return {
    name,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    tags,
    arguments: prompt.arguments.map((argument) => ({
      name: argument.name,
      ...(argument.description === undefined ? {} : { description: argument.description }),
      required: argument.required,
    })),
    score,
    matches: matches.map(({ field, context }) => ({ field, context })),
  }
}

/** What a model needs to choose: the name, the arguments as one would write them, and what it is for. */
function hitLine({ stored: { prompt } }: PromptHit): string {
  const words = prompt.arguments.map(({ name, required }) => (required ? `<${name}>` : `[${name}]`))
  return `${[prompt.name, ...words].join(' ')}: ${prompt.description ?? prompt.title ?? ''}`
}
