import type { ContentBlock, EmbeddedResource, ResourceLink } from '@agentclientprotocol/sdk'
import type { ContentPart } from '../../agent/record.ts'
import { CapstanError } from '../../errors.ts'

/** What a person sent from their editor. */
export interface EditorPrompt {
  /** The text as it could have been typed, with links where they stand. */
  readonly line: string
  /** What came with it, whole. */
  readonly parts: readonly ContentPart[]
  /** What is only named. */
  readonly links: readonly ResourceLink[]
}

export function readPrompt(blocks: readonly ContentBlock[]): EditorPrompt {
  const line = blocks.map(lineOf).join('')
  const parts = blocks.flatMap(partsOf)
  if (line.trim() === '' && parts.length === 0) throw new CapstanError('usage', 'The prompt is empty.')
  return { line, parts, links: blocks.flatMap((block) => (block.type === 'resource_link' ? [block] : [])) }
}

function lineOf(block: ContentBlock): string {
  if (block.type === 'text') return block.text
  if (block.type === 'resource_link') return `[${block.title ?? block.name}](${block.uri})`
  return block.type === 'resource' ? `[${nameOf(block.resource.uri)}](${block.resource.uri})` : ''
}

function nameOf(uri: string): string {
  const path = uri.replace(/[?#].*$/, '')
  return path.slice(path.lastIndexOf('/') + 1) || uri
}

function partsOf(block: ContentBlock): readonly ContentPart[] {
  if (block.type === 'image' || block.type === 'audio') {
    return [{ kind: 'media', mimeType: block.mimeType, data: block.data }]
  }
  return block.type === 'resource' ? [embedded(block)] : []
}

function embedded({ resource }: EmbeddedResource): ContentPart {
  const mimeType = resource.mimeType ?? undefined
  if ('blob' in resource) {
    return { kind: 'media', mimeType: mimeType ?? 'application/octet-stream', data: resource.blob }
  }
  return { kind: 'resource', uri: resource.uri, text: resource.text, ...(mimeType === undefined ? {} : { mimeType }) }
}
