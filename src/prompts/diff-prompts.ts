import { diffLines, type DiffLine } from './diff-lines.ts'
import type { Prompt, PromptArgument, PromptContent } from './prompt.ts'

/** What changed between two states of a prompt, as people read it; undefined stands for there being none. Dates do not count. */
export function diffPrompts(before: Prompt | undefined, after: Prompt | undefined): readonly DiffLine[] {
  return diffLines(linesOf(before), linesOf(after))
}

/** With the signs that people know from other tools. */
export function diffText(lines: readonly DiffLine[]): string {
  const signs = { same: ' ', removed: '-', added: '+', skipped: '…' } as const
  return lines.map(({ kind, text }) => `${signs[kind]} ${text}`.trimEnd()).join('\n')
}

function linesOf(prompt: Prompt | undefined): readonly string[] {
  if (prompt === undefined) return []
  const { name, title, description, tags, template, messages, steps = [], meta } = prompt
  return [
    `name: ${name}`,
    ...(title === undefined ? [] : [`title: ${title}`]),
    ...(description === undefined ? [] : [`description: ${description}`]),
    ...(tags.length === 0 ? [] : [`tags: ${tags.join(', ')}`]),
    ...(template === undefined ? [] : [`template: ${template}`]),
    ...prompt.arguments.map((argument) => `argument ${argumentText(argument)}`),
    ...(meta === undefined ? [] : [`meta: ${JSON.stringify(meta)}`]),
    ...messages.flatMap(({ role, content }) => ['', `${role}:`, ...contentText(content)]),
    ...(steps.length === 0 ? [] : ['', 'steps:']),
    ...steps.flatMap(({ title: step, text = '' }, index) => [
      `${index + 1}. ${step}`,
      ...(text === '' ? [] : text.split('\n').map((line) => `   ${line}`)),
    ]),
  ].flatMap((line) => line.split('\n'))
}

function argumentText({
  name,
  description,
  required,
  type,
  default: fallback,
  enum: choices,
  examples,
}: PromptArgument) {
  const notes = [
    required ? 'required' : 'optional',
    ...(type === undefined ? [] : [type]),
    ...(choices === undefined ? [] : [`one of ${choices.join(', ')}`]),
    ...(fallback === undefined ? [] : [`else ${JSON.stringify(fallback)}`]),
    ...(examples === undefined ? [] : [`such as ${examples.join(', ')}`]),
  ]
  return `${name} (${notes.join('; ')})${description === undefined ? '' : `: ${description}`}`
}

function contentText(content: PromptContent): readonly string[] {
  if (content.type === 'text') return content.text.split('\n')
  if (content.type === 'image' || content.type === 'audio') {
    return [`[${content.type} ${content.mimeType}, ${content.data.length} characters of base64]`]
  }
  return JSON.stringify(content, undefined, 2).split('\n')
}
