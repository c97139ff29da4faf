import type { PromptContent, PromptMessage } from '../prompt.ts'
import { diffPrompts, diffText } from '../diff-prompts.ts'
import type { Revision } from '../store.ts'
import { askForArguments } from './ask-arguments.ts'
import { renderServed } from './library.ts'
import {
  argumentSchema,
  flag,
  integer,
  list,
  messageSchema,
  object,
  promptName,
  revisionOrLabel,
  text,
} from './schemas.ts'
import { dataResult, revisionIn, type LibraryTool } from './tool.ts'

const looking = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }

export const getPromptTool: LibraryTool = {
  writes: false,
  definition: {
    name: 'get_prompt',
    title: 'Get a prompt',
    description:
      'Gives a prompt with its arguments filled in, ready to follow. Missing arguments are asked for where the client can show a form. raw gives the template instead.',
    inputSchema: object({
      name: promptName,
      'arguments?': {
        type: 'object',
        description: 'A value for each argument.',
        additionalProperties: { type: ['string', 'number', 'boolean'] },
      },
      'at?': revisionOrLabel,
      'raw?': flag('The messages with {{name}} left in, and what the arguments are.'),
    }),
    outputSchema: object({
      name: text(),
      'title?': text(),
      'description?': text(),
      revision: integer('Which revision this is.'),
      messages: list(messageSchema),
      arguments: list(argumentSchema),
      tags: list(text()),
    }),
    annotations: looking,
  },
  async run(args, call) {
    const { library } = call
    const at = args.has('at') ? { at: revisionIn(args, 'at') } : {}
    const { prompt, revision } = await library.store.get(args.text('name'), at)
    const isRaw = args.flag('raw', false)
    const given = isRaw
      ? { kind: 'complete' as const, values: {} }
      : askForArguments(prompt, args.values('arguments'), call)
    if (given.kind === 'form') return given
    const messages = isRaw ? [...prompt.messages] : await renderServed(library, prompt, given.values)
    const { name, title, description } = prompt
    return dataResult(
      {
        name,
        ...(title === undefined ? {} : { title }),
        ...(description === undefined ? {} : { description }),
        revision,
        messages,
        arguments: prompt.arguments,
        tags: prompt.tags,
      },
      messagesText(messages),
    )
  },
}

export const listTags: LibraryTool = {
  writes: false,
  definition: {
    name: 'list_tags',
    title: 'List the tags',
    description:
      'All tags of the library, with the number of prompts that have them. A tag counts for those above it too.',
    inputSchema: object({}),
    outputSchema: object({ tags: list(object({ tag: text(), prompts: integer('How many have it.') })) }),
    annotations: looking,
  },
  async run(_, { library }) {
    const counts = new Map<string, number>()
    for (const { prompt } of await library.store.list()) {
      const all = new Set(prompt.tags.flatMap(withThoseAbove))
      for (const tag of all) counts.set(tag, (counts.get(tag) ?? 0) + 1)
    }
    const tags = Array.from(counts, ([tag, prompts]) => ({ tag, prompts })).sort((a, b) => (a.tag < b.tag ? -1 : 1))
    return dataResult({ tags })
  },
}

export const promptHistory: LibraryTool = {
  writes: false,
  definition: {
    name: 'prompt_history',
    title: 'Show the history of a prompt',
    description:
      'The revisions of a prompt, the newest first: when, by whom, with which labels. Also of one that was deleted.',
    inputSchema: object({ name: promptName, 'limit?': integer('At most so many; 50 if absent.') }),
    outputSchema: object({
      name: text(),
      revisions: list(
        object({
          revision: integer('Its number.'),
          kind: text('put or removed'),
          'at?': text(),
          'by?': text(),
          'renamed_from?': text(),
          labels: list(text()),
        }),
      ),
    }),
    annotations: looking,
  },
  async run(args, { library }) {
    const limit = args.number('limit', { least: 1, most: 1000 }) ?? 50
    const name = args.text('name')
    const revisions = (await library.store.history(name)).slice(0, limit).map(shownRevision)
    return dataResult({ name, revisions })
  },
}

export const diffPrompt: LibraryTool = {
  writes: false,
  definition: {
    name: 'diff_prompt',
    title: 'Compare revisions',
    description: 'What changed between two revisions of a prompt, line by line. Without from and to: the last change.',
    inputSchema: object({ name: promptName, 'from?': revisionOrLabel, 'to?': revisionOrLabel }),
    outputSchema: object({
      name: text(),
      from: integer('0 where there was nothing before.', 0),
      to: integer('The later one.'),
      diff: text('Lines with - are gone, with + new; empty when nothing differs.'),
    }),
    annotations: looking,
  },
  async run(args, { library: { store } }) {
    const name = args.text('name')
    const to = await store.get(name, args.has('to') ? { at: revisionIn(args, 'to') } : {})
    const earlier = (await store.history(name)).find(
      ({ revision, prompt }) => revision < to.revision && prompt !== undefined,
    )
    const from = args.has('from') ? await store.get(name, { at: revisionIn(args, 'from') }) : earlier
    const diff = diffText(diffPrompts(from?.prompt, to.prompt))
    return dataResult({ name, from: from?.revision ?? 0, to: to.revision, diff }, diff === '' ? 'No difference.' : diff)
  },
}

function shownRevision({ revision, kind, at, by, renamedFrom, labels }: Revision): Record<string, unknown> {
  return {
    revision,
    kind,
    ...(at === undefined ? {} : { at }),
    ...(by === undefined ? {} : { by }),
    ...(renamedFrom === undefined ? {} : { renamed_from: renamedFrom }),
    labels,
  }
}

/** `a/b/c` is also `a/b` and `a`. */
function withThoseAbove(tag: string): readonly string[] {
  const parts = tag.split('/')
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'))
}

/** What a model reads: the texts, with the role only where it is not the user's. */
export function messagesText(messages: readonly PromptMessage[]): string {
  return messages
    .map(({ role, content }) => `${role === 'assistant' ? 'assistant: ' : ''}${contentText(content)}`)
    .join('\n\n')
}

function contentText(content: PromptContent): string {
  if (content.type === 'text') return content.text
  if (content.type === 'resource')
    return 'text' in content.resource ? content.resource.text : `[${content.resource.uri}]`
  return content.type === 'resource_link'
    ? `[${content.name}](${content.uri})`
    : `[${content.type}, ${content.mimeType}]`
}
