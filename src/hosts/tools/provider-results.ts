import type { ContentPart } from '../../index.ts'
import { partText } from './guard-content.ts'
import { inside, type McpToolName, type McpToolResult } from './opaque.ts'
import type { Provider } from './provider-tools.ts'

/** A block for the next user message of the Messages API. */
export interface AnthropicResult {
  type: 'tool_result'
  tool_use_id: string
  is_error?: true
  content: (
    | { type: 'text'; text: string }
    | { type: 'image'; source: { type: 'base64'; media_type: AnthropicImage; data: string } }
  )[]
}

/** A message of the Chat Completions API, which takes text alone. */
export interface OpenAiResult {
  role: 'tool'
  tool_call_id: string
  content: string
}

/** An input item of the Responses API. */
export interface OpenAiResponsesResult {
  type: 'function_call_output'
  call_id: string
  output: ({ type: 'input_text'; text: string } | { type: 'input_image'; image_url: string; detail: 'auto' })[]
}

/** Parts for the next user content of the Gemini API. */
export type GoogleResult = (
  | { functionResponse: { id: string; name: string; response: { output: string } | { error: string } } }
  | { inlineData: { mimeType: string; data: string } }
)[]

export interface GenericResult {
  id: string
  /** As the model knows it. */
  name: string
  tool: McpToolName
  isError: boolean
  text: string
  content: readonly ContentPart[]
}

/** What each provider wants as the answer to a call. */
export interface ProviderResults {
  anthropic: AnthropicResult
  openai: OpenAiResult
  'openai-responses': OpenAiResponsesResult
  google: GoogleResult
  generic: GenericResult
}

/** By provider: a result in its own shape. What it cannot take is told in words. */
export const answerWith: { readonly [P in Provider]: (result: McpToolResult) => ProviderResults[P] } = {
  anthropic: ({ id, isError, [inside]: { parts } }) => ({
    type: 'tool_result',
    tool_use_id: id,
    ...(isError ? { is_error: true as const } : {}),
    content: spoken(parts).map((part) => {
      if (part.kind !== 'media' || !isAnthropicImage(part.mimeType)) return { type: 'text', text: partText(part) }
      return { type: 'image', source: { type: 'base64', media_type: part.mimeType, data: part.data } }
    }),
  }),
  openai: (result) => ({ role: 'tool', tool_call_id: result.id, content: textOf(result) }),
  'openai-responses': (result) => ({
    type: 'function_call_output',
    call_id: result.id,
    output: marked(result).map((part) => {
      if (!isImage(part)) return { type: 'input_text', text: partText(part) }
      return { type: 'input_image', image_url: `data:${part.mimeType};base64,${part.data}`, detail: 'auto' }
    }),
  }),
  google: (result) => {
    const {
      id,
      isError,
      [inside]: { modelName: name, parts },
    } = result
    const text = spoken(parts).map(partText).join('\n')
    const response = isError ? { error: text } : { output: text }
    const images = parts.flatMap((part) =>
      isImage(part) ? [{ inlineData: { mimeType: part.mimeType, data: part.data } }] : [],
    )
    return [{ functionResponse: { id, name, response } }, ...images]
  },
  generic: (result) => ({
    id: result.id,
    name: result[inside].modelName,
    tool: result.name,
    isError: result.isError,
    text: spoken(result[inside].parts).map(partText).join('\n'),
    content: result[inside].parts,
  }),
}

function isImage(part: ContentPart): part is Extract<ContentPart, { readonly kind: 'media' }> {
  return part.kind === 'media' && part.mimeType.startsWith('image/')
}

type AnthropicImage = 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp'

function isAnthropicImage(mimeType: string): mimeType is AnthropicImage {
  return ['image/jpeg', 'image/png', 'image/gif', 'image/webp'].includes(mimeType)
}

function textOf(result: McpToolResult): string {
  return marked(result).map(partText).join('\n')
}

/** For providers that know no failed results. */
function marked({ isError, [inside]: { parts } }: McpToolResult): readonly ContentPart[] {
  return isError ? [{ kind: 'text', text: 'The tool call failed:' }, ...spoken(parts)] : spoken(parts)
}

/** Providers refuse empty texts, and some refuse empty results. */
function spoken(parts: readonly ContentPart[]): readonly ContentPart[] {
  const kept = parts.filter((part) => part.kind !== 'text' || part.text.trim() !== '')
  return kept.length === 0 ? [{ kind: 'text', text: '(no output)' }] : kept
}
