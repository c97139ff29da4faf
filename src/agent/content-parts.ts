import type { ToolResult } from '../hub/values.ts'
import type { ContentPart } from './record.ts'

/** A content block of the protocol as it came: kinds that nobody knows yet may be among them. */
export type ContentBlock = { readonly type: string; readonly [field: string]: unknown }

/** What a content block puts into a conversation. */
export function contentPart(block: ContentBlock): ContentPart {
  const { type, text, data, mimeType } = block
  if (type === 'text' && typeof text === 'string') return { kind: 'text', text }
  if ((type === 'image' || type === 'audio') && typeof data === 'string') return media(data, mimeType)
  if (type === 'resource' && isRecord(block['resource'])) return resourcePart(block['resource'])
  if (type === 'resource_link')
    return { kind: 'text', text: `Resource ${String(block['uri'])}: ${String(block['name'])}` }
  return { kind: 'text', text: JSON.stringify(block) }
}

/** The contents of a resource: its text with where it came from, or its bytes. */
export function resourcePart({ uri, text, blob, mimeType }: Readonly<Record<string, unknown>>): ContentPart {
  if (typeof blob === 'string') return media(blob, mimeType)
  const type = typeof mimeType === 'string' ? { mimeType } : {}
  return { kind: 'resource', uri: String(uri), text: typeof text === 'string' ? text : '', ...type }
}

/** What a tool's result puts into a conversation. Servers should repeat structured results as text, but need not. */
export function resultParts({ content, structuredContent }: ToolResult): readonly ContentPart[] {
  const parts = content.map((block) => contentPart(block))
  if (parts.length > 0 || structuredContent === undefined) return parts
  return [{ kind: 'text', text: JSON.stringify(structuredContent) }]
}

function media(data: string, mimeType: unknown): ContentPart {
  return { kind: 'media', mimeType: typeof mimeType === 'string' ? mimeType : 'application/octet-stream', data }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
