import type { Prompt } from '../prompt.ts'
import { parseTemplate, type TemplateNodes } from '../template.ts'
import { mapTexts } from './body.ts'

/** Finds what `{{> name}}` names. */
export type FindPrompt = (name: string) => Prompt | undefined

/**
 * A prompt for a client that knows no blocks: what is included stands in the text, and a condition is said in words, which a
 * model follows as well. `{{argument}}` stays.
 */
export function flattenTemplate(prompt: Prompt, find: FindPrompt): Prompt {
  if (prompt.template === undefined) return prompt
  const { template, ...plain } = mapTexts(prompt, (text) => flatten(text, { prompt, find, chain: [prompt.name] }))
  return template === 'plus' ? plain : prompt
}

interface Scope {
  readonly prompt: Prompt
  readonly find: FindPrompt
  /** The prompts that led here, each including the next. */
  readonly chain: readonly string[]
}

const maxDepth = 8

function flatten(text: string, scope: Scope): string {
  const declared = new Set(scope.prompt.arguments.map(({ name }) => name))
  return textOf(parseTemplate(text, { declared, isPlus: true }), scope)
}

function textOf(nodes: TemplateNodes, scope: Scope): string {
  return nodes
    .map((node) => {
      if (node.kind === 'text') return node.text
      if (node.kind === 'argument') return `{{${node.name}}}`
      if (node.kind === 'include') return included(node.prompt, scope)
      return inWords(node.name, { given: textOf(node.whenTrue, scope), otherwise: textOf(node.otherwise, scope) })
    })
    .join('')
}

function inWords(name: string, { given, otherwise }: { readonly given: string; readonly otherwise: string }): string {
  const parts = [
    ...(given.trim() === '' ? [] : [`[If ${name} is given:${spaced(given)}]`]),
    ...(otherwise.trim() === '' ? [] : [`[If ${name} is not given:${spaced(otherwise)}]`]),
  ]
  // A block that had lines of its own keeps them.
  const lead = /^[ \t]/.test(given || otherwise) ? ' ' : ''
  return lead + parts.join(given.endsWith('\n') ? '\n' : ' ') + ((otherwise || given).endsWith('\n') ? '\n' : '')
}

function spaced(text: string): string {
  return ` ${text.trim()}`
}

function included(name: string, { find, chain }: Scope): string {
  const prompt = find(name)
  if (prompt === undefined || chain.includes(name) || chain.length >= maxDepth) return `{{> ${name}}}`
  const texts = prompt.messages.flatMap(({ content }) => (content.type === 'text' ? [content.text] : []))
  if (prompt.template !== 'plus') return texts.join('\n\n')
  return texts.map((text) => flatten(text, { prompt, find, chain: [...chain, name] })).join('\n\n')
}
