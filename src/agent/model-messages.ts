import type { ModelMessage, ToolModelMessage, AssistantModelMessage, UserModelMessage } from 'ai'
import { unreachable } from '../errors.ts'
import { cutMiddle } from './cut-middle.ts'
import type { CallResult, ContentPart, Message, Reply, ReplyPart, UserMessage } from './record.ts'

/** Which media a provider takes, as the starts of their types. */
export interface Takes {
  readonly inMessages: readonly string[]
  readonly inResults: readonly string[]
}

export interface MappedMessages {
  readonly messages: ModelMessage[]
  /** What was left out because the model cannot take it: media types. */
  readonly leftOut: readonly string[]
}

/** Most of a tool's result that a model is given, in bytes; the file of the conversation keeps all of it. */
const resultBytes = 20 * 1024

/** Our record as the SDK's messages: begins and ends with the user's side, as every provider wants it. */
export function toModelMessages(
  messages: readonly Message[],
  { model, takes }: { readonly model: string; readonly takes: Takes },
): MappedMessages {
  const leftOut = new Set<string>()
  const mapped: ModelMessage[] = []
  if (messages[0]?.kind !== 'user') mapped.push({ role: 'user', content: '(The conversation begins.)' })
  for (const message of messages) {
    const last = mapped.at(-1)
    if (message.kind === 'user') {
      const content = message.parts.map((part) => userPart(part, takes, leftOut))
      // Some providers refuse two messages of the same side in a row.
      if (last?.role === 'user' && Array.isArray(last.content)) last.content.push(...content)
      else mapped.push({ role: 'user', content })
    } else if (message.kind === 'reply') mapped.push(assistantMessage(message, model))
    else if (last?.role === 'tool') last.content.push(resultPart(message, takes, leftOut))
    else mapped.push({ role: 'tool', content: [resultPart(message, takes, leftOut)] })
  }
  if (mapped.at(-1)?.role === 'assistant') mapped.push({ role: 'user', content: '(Please go on.)' })
  return { messages: mapped, leftOut: [...leftOut] }
}

type UserPart = Exclude<UserModelMessage['content'], string>[number]

function userPart(part: ContentPart, { inMessages }: Takes, leftOut: Set<string>): UserPart {
  if (part.kind !== 'media') return { type: 'text', text: textOfPart(part) }
  if (!isTaken(part.mimeType, inMessages)) return { type: 'text', text: leaveOut(part, leftOut) }
  return { type: 'file', data: part.data, mediaType: part.mimeType }
}

type AssistantPart = Exclude<AssistantModelMessage['content'], string>[number]

function assistantMessage(reply: Reply, model: string): AssistantModelMessage {
  return { role: 'assistant', content: reply.parts.flatMap((part) => assistantPart(part, reply, model)) }
}

function assistantPart(part: ReplyPart, reply: Reply, model: string): AssistantPart[] {
  // Signatures and ids mean something only to the model that gave them.
  const isOwn = reply.model === model
  const options = isOwn && part.metadata !== undefined ? { providerOptions: asProviderOptions(part.metadata) } : {}
  switch (part.kind) {
    case 'text':
      return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text, ...options }]
    case 'thinking':
      return isOwn ? [{ type: 'reasoning', text: part.text, ...options }] : []
    case 'call': {
      const input = part.input.kind === 'json' ? part.input.value : {}
      return [{ type: 'tool-call', toolCallId: part.callId, toolName: part.name, input, ...options }]
    }
    default:
      return unreachable(part)
  }
}

type ProviderOptions = NonNullable<UserModelMessage['providerOptions']>

/** The provider's metadata comes back as it was: objects by provider. */
function asProviderOptions(metadata: NonNullable<ReplyPart['metadata']>): ProviderOptions {
  return JSON.parse(JSON.stringify(metadata)) as ProviderOptions
}

type ToolPart = Extract<ToolModelMessage['content'][number], { type: 'tool-result' }>

function resultPart(result: CallResult, { inResults }: Takes, leftOut: Set<string>): ToolPart {
  const { callId: toolCallId, name: toolName, parts, end } = result
  const texts = parts.map((part) => {
    if (part.kind !== 'media') return textOfPart(part)
    return isTaken(part.mimeType, inResults) ? '' : leaveOut(part, leftOut)
  })
  const text = cutMiddle(texts.filter((item) => item !== '').join('\n'), resultBytes)
  const base = { type: 'tool-result', toolCallId, toolName } as const
  if (end !== 'done') return { ...base, output: { type: 'error-text', value: text === '' ? end : text } }
  const media = parts.flatMap((part) => (part.kind === 'media' && isTaken(part.mimeType, inResults) ? [part] : []))
  if (media.length === 0) return { ...base, output: { type: 'text', value: text === '' ? '(no output)' : text } }
  const files = media.map(
    ({ data, mimeType }) => ({ type: 'file', data: { type: 'data', data }, mediaType: mimeType }) as const,
  )
  return {
    ...base,
    output: { type: 'content', value: [...(text === '' ? [] : [{ type: 'text', text } as const]), ...files] },
  }
}

function isTaken(mimeType: string, taken: readonly string[]): boolean {
  return taken.some((start) => mimeType.startsWith(start))
}

function leaveOut({ mimeType, data }: Extract<ContentPart, { kind: 'media' }>, leftOut: Set<string>): string {
  leftOut.add(mimeType)
  return `[${mimeType}, ${Math.ceil((data.length * 3) / 4 / 1024)} KB, left out: you cannot take it]`
}

/** Text parts as a model or a reader gets them; resources say where they come from. */
function textOfPart(part: Exclude<ContentPart, { kind: 'media' }>): string {
  return part.kind === 'text' ? part.text : `Resource ${part.uri}:\n${part.text}`
}

/** The words of a message that a person sent. */
export function textOfMessage({ parts }: UserMessage | CallResult): string {
  return parts.map((part) => (part.kind === 'media' ? `[${part.mimeType}]` : textOfPart(part))).join('\n')
}
