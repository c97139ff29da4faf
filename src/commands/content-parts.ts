import type { ContentPart } from '../agent/record.ts'

/** A content block of the protocol as it came: kinds that nobody knows yet may be among them. */
export type ContentBlock = { readonly type: string; readonly [field: string]: unknown }

/** What a content block puts into a conversation, or on the screen. */
export function contentPart(block: ContentBlock): ContentPart {
  const { type, text, data, mimeType } = block
  if (type === 'text' && typeof text === 'string') return { kind: 'text', text }
  if ((type === 'image' || type === 'audio') && typeof data === 'string')
    return { kind: 'media', mimeType: typeof mimeType === 'string' ? mimeType : unknownType, data }
  if (type === 'resource' && isRecord(block['resource'])) return resourcePart(block['resource'])
  if (type === 'resource_link') return { kind: 'text', text: linkText(block) }
  return { kind: 'text', text: JSON.stringify(block) }
}

/** The contents of a resource: its text with where it came from, or its bytes. */
export function resourcePart({ uri, text, blob, mimeType }: Readonly<Record<string, unknown>>): ContentPart {
  const type = typeof mimeType === 'string' ? mimeType : undefined
  if (typeof blob === 'string') return { kind: 'media', mimeType: type ?? unknownType, data: blob }
  return {
    kind: 'resource',
    uri: String(uri),
    text: typeof text === 'string' ? text : '',
    ...(type === undefined ? {} : { mimeType: type }),
  }
}

const unknownType = 'application/octet-stream'

function linkText({ uri, name, description }: ContentBlock): string {
  const about = [name, description].filter((part) => typeof part === 'string' && part !== '')
  return [`Resource ${String(uri)}`, ...about].join(': ')
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
