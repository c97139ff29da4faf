import { cutMiddle, plainText, type ContentPart } from '../../index.ts'

type Media = Extract<ContentPart, { readonly kind: 'media' }>

export interface ContentLimits {
  /** Of all text of one result, in bytes. */
  readonly textBytes: number
  /** Of one image, sound or file, in bytes. */
  readonly mediaBytes: number
}

/** What a tool gave back, within the limits: a long text without its middle, a note in place of media that is too large. */
export function guardContent(parts: readonly ContentPart[], limits: ContentLimits): readonly ContentPart[] {
  let left = limits.textBytes
  return parts.map((part) => {
    if (part.kind === 'media') return guardMedia(part, limits.mediaBytes)
    const text = left > 0 ? cutMiddle(part.text, left) : leftOut(part.text)
    left -= Buffer.byteLength(text)
    return text === part.text ? part : { ...part, text }
  })
}

/** The same made safe to show: no escape sequences, nothing that hides or reorders what is read. */
export function showableContent(parts: readonly ContentPart[]): readonly ContentPart[] {
  return parts.map((part) => {
    const type = 'mimeType' in part ? { mimeType: plainText(part.mimeType) } : {}
    if (part.kind === 'media') return { ...part, ...type }
    const text = plainText(part.text)
    return part.kind === 'text' ? { kind: 'text', text } : { ...part, ...type, uri: plainText(part.uri), text }
  })
}

/** A part in words, where only words can be given. */
export function partText(part: ContentPart): string {
  switch (part.kind) {
    case 'text':
      return part.text
    case 'resource':
      return `${part.uri}\n${part.text}`
    case 'media':
      return `[${part.mimeType}, ${bytesOf(part)} bytes]`
    default:
      return part satisfies never
  }
}

function guardMedia(part: Media, mostBytes: number): ContentPart {
  const bytes = bytesOf(part)
  if (bytes <= mostBytes) return part
  const text = `[${part.mimeType}, left out: its ${bytes} bytes are more than the ${mostBytes} that are passed on]`
  return { kind: 'text', text }
}

function bytesOf({ data }: Media): number {
  return Buffer.byteLength(data, 'base64')
}

function leftOut(text: string): string {
  return text === '' ? '' : `[… ${Buffer.byteLength(text)} bytes left out; ask for less, or for a part …]`
}
