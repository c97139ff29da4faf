import type { Prompt, PromptMessage, PromptStep } from '../prompt.ts'

/** What a text file says of a prompt: its texts, without the fields. */
export interface Body {
  readonly messages: readonly PromptMessage[]
  readonly steps?: readonly PromptStep[]
}

/**
 * The messages and steps as one text. A comment line starts each message after the first and each step, so that editing the
 * text between them is safe; to the client it is a comment.
 */
export function writeBody({ messages, steps = [] }: Body): string {
  const parts = [
    ...messages.flatMap(({ role, content }, index) => {
      if (content.type !== 'text') return []
      return index === 0 && role === 'user' ? [content.text] : [`<!-- ${role} -->\n${content.text}`]
    }),
    ...steps.map(({ title, text }, index) => {
      return `<!-- step -->\n## ${index + 1}. ${title}${text === undefined ? '' : `\n\n${text}`}`
    }),
  ]
  return parts.join('\n\n')
}

export function readBody(text: string): Body {
  const parts = text.split(/^<!-- (user|assistant|step) -->[ \t]*$/m)
  const [first = '', ...marked] = parts
  const messages: PromptMessage[] = first.trim() === '' ? [] : [messageOf('user', first)]
  const steps: PromptStep[] = []
  for (let at = 0; at < marked.length; at += 2) {
    const [kind, part = ''] = marked.slice(at, at + 2)
    if (kind === 'step') steps.push(stepOf(part))
    else messages.push(messageOf(kind === 'assistant' ? 'assistant' : 'user', part))
  }
  return { messages, ...(steps.length === 0 ? {} : { steps }) }
}

/** The prompt's texts, each changed; what is no text stays. */
export function mapTexts<Holder extends Pick<Prompt, 'messages' | 'steps'>>(
  prompt: Holder,
  change: (text: string) => string,
): Holder {
  const messages = prompt.messages.map(({ role, content }): PromptMessage => {
    return content.type === 'text' ? { role, content: { ...content, text: change(content.text) } } : { role, content }
  })
  const steps = prompt.steps?.map(({ title, text }): PromptStep => {
    return { title: change(title), ...(text === undefined ? {} : { text: change(text) }) }
  })
  return { ...prompt, messages, ...(steps === undefined ? {} : { steps }) }
}

function messageOf(role: PromptMessage['role'], text: string): PromptMessage {
  return { role, content: { type: 'text', text: withoutBlankEdges(text) } }
}

function stepOf(part: string): PromptStep {
  const [heading = '', ...rest] = withoutBlankEdges(part).split('\n')
  const text = withoutBlankEdges(rest.join('\n'))
  return { title: heading.replace(/^#+\s*(?:\d+[.)]\s*)?/, ''), ...(text === '' ? {} : { text }) }
}

function withoutBlankEdges(text: string): string {
  return text.replace(/^(?:[ \t]*\n)+/, '').trimEnd()
}
