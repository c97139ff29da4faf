import type { JsonValue, ToolResult } from '../hub/values.ts'

/** What a tool call gives to a snippet. */
export type ToolValue =
  | { readonly kind: 'value'; readonly value: JsonValue }
  | { readonly kind: 'error'; readonly message: string }

type Block = ToolResult['content'][number]

/**
 * The useful part of a result: its structured content, else the JSON that its text is, else its text. Several blocks
 * are their texts joined. With `raw` it is everything the server sent. An error of the tool is an error either way.
 */
export function toolValue(result: ToolResult, options: { readonly raw: boolean }): ToolValue {
  if (result.isError === true) return { kind: 'error', message: errorText(result) }
  return { kind: 'value', value: options.raw ? asJson(result) : usefulPart(result) }
}

function usefulPart({ structuredContent, content }: ToolResult): JsonValue {
  if (structuredContent !== undefined) return asJson(structuredContent)
  const [first, ...others] = content
  if (first === undefined) return null
  if (others.length > 0) return joinedText(content)
  return first.type === 'text' ? jsonOrText(first.text) : blockText(first)
}

function errorText({ structuredContent, content }: ToolResult): string {
  const text = joinedText(content)
  if (text !== '') return text
  return structuredContent === undefined ? 'The tool failed and did not say why.' : JSON.stringify(structuredContent)
}

function joinedText(content: readonly Block[]): string {
  return content.map(blockText).join('\n')
}

function blockText(block: Block): string {
  switch (block.type) {
    case 'text':
      return block.text
    case 'resource_link':
      return block.uri
    case 'resource':
      return 'text' in block.resource ? block.resource.text : notText(block.resource.mimeType ?? 'resource')
    case 'image':
    case 'audio':
      return notText(block.mimeType)
    default:
      // A kind that a newer server may send and that these types do not know yet.
      return JSON.stringify(block)
  }
}

function notText(kind: string): string {
  return `[${kind}: call the tool with .raw(…) to get it]`
}

function jsonOrText(text: string): JsonValue {
  try {
    const value: unknown = JSON.parse(text)
    // An id of twenty digits is a valid number, but not one that JavaScript can hold.
    return typeof value === 'number' && String(value) !== text.trim() ? text : asJson(value)
  } catch {
    // Most texts are no JSON; then the text is the value.
    return text
  }
}

/** Results came as JSON, so they are; only their types do not say it. */
function asJson(value: unknown): JsonValue {
  return value as JsonValue
}
