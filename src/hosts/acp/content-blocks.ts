import type { ContentBlock, ToolCallContent } from '@agentclientprotocol/sdk'
import type { ContentPart } from '../../agent/record.ts'
import { plainText } from '../../policy/plain-text.ts'

export function textBlock(text: string): ContentBlock {
  return { type: 'text', text }
}

/** A part of a conversation as editors show it. */
export function blockOf(part: ContentPart): ContentBlock {
  switch (part.kind) {
    case 'text':
      return textBlock(plainText(part.text))
    case 'resource': {
      const { uri, text, mimeType } = part
      return {
        type: 'resource',
        resource: { uri, text: plainText(text), ...(mimeType === undefined ? {} : { mimeType }) },
      }
    }
    case 'media': {
      const { mimeType, data } = part
      if (mimeType.startsWith('image/')) return { type: 'image', mimeType, data }
      if (mimeType.startsWith('audio/')) return { type: 'audio', mimeType, data }
      return textBlock(`[${plainText(mimeType)}, ${Math.floor((data.length * 3) / 4)} bytes]`)
    }
    default:
      return unknownPart(part)
  }
}

/** What a call shows. The model has all of it; a person in an editor does not read megabytes. */
export function callContent(parts: readonly ContentPart[]): ToolCallContent[] {
  return parts.map((part) => ({ type: 'content', content: blockOf(readable(part)) }))
}

const mostShown = 32_768

function readable(part: ContentPart): ContentPart {
  if (part.kind === 'media' || part.text.length <= mostShown) return part
  const [head, tail] = [part.text.slice(0, mostShown * 0.75), part.text.slice(-mostShown * 0.25)]
  return { ...part, text: `${head}\n\n… ${part.text.length - mostShown} more characters …\n\n${tail}` }
}

/** A fence that is longer than any in the text: what stands in it is shown as it is. */
export function fenced(text: string, language = ''): string {
  const longest = Math.max(2, ...(text.match(/`{3,}/g) ?? []).map((run) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text}\n${fence}`
}

function unknownPart(part: never): ContentBlock {
  return textBlock(JSON.stringify(part))
}
