import type { ContentPart } from '../../agent/record.ts'
import type { PreparedMessage } from '../../agent/session.ts'
import { plainLine, plainText } from '../../policy/plain-text.ts'
import type { Markdown } from '../markdown.ts'
import type { Palette } from '../paint.ts'
import type { Block } from '../transcript.ts'
import { frozen, wrapped } from './drawn.ts'

/** What a person said, or a prompt in their name. */
export function userBlock(parts: readonly ContentPart[], paint: Palette, prompt?: string): Block {
  const [first, ...rest] = parts.map(partText)
  const text = [...(prompt === undefined ? [] : [`/${plainLine(prompt)}`]), ...(first === undefined ? [] : [first])]
  return frozen((width) => [
    '',
    ...wrapped(text.join('\n'), width, '› ').map(paint.heading),
    ...rest.flatMap((line) => wrapped(line, width, '  + ').map(paint.faint)),
  ])
}

/** The rendered messages of a prompt, to be looked at before they are sent. */
export function previewBlock(title: string, messages: readonly PreparedMessage[], paint: Palette): Block {
  return frozen((width) => [
    '',
    ...wrapped(`Preview of ${plainLine(title)}. Nothing has been sent; Enter sends it.`, width).map(paint.warning),
    ...messages.flatMap((message) => {
      const text = message.role === 'user' ? message.parts.map(partText).join('\n') : plainText(message.text)
      return wrapped(text, width, `${message.role === 'user' ? 'you' : 'assistant'} │ `)
    }),
  ])
}

export function replyBlock(text: string, markdown: Markdown): Block {
  return { render: (width) => ['', ...markdown.draw(text, width)] }
}

function partText(part: ContentPart): string {
  if (part.kind === 'text') return plainText(part.text)
  if (part.kind === 'resource')
    return `${plainLine(part.uri)} (${plainLine(part.mimeType ?? 'text')}, ${sizeText(part.text.length)})`
  return `${plainLine(part.mimeType)}, ${sizeText(Math.floor((part.data.length * 3) / 4))}`
}

function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}

/** A content part that a command shows. */
export function contentText(part: ContentPart): string {
  return part.kind === 'resource' ? `${plainLine(part.uri)}\n${plainText(part.text)}` : partText(part)
}
