import type { SessionUpdate } from '@agentclientprotocol/sdk'
import type { CallResult, ConversationEntry, Reply, UserMessage } from '../../agent/record.ts'
import { blockOf, callContent, textBlock } from './content-blocks.ts'
import { endStatus, inputFields, titleOf } from './show-calls.ts'

/** A conversation as an editor would have seen it while it was held. */
export function replay(entries: readonly ConversationEntry[]): readonly SessionUpdate[] {
  const results = new Map(entries.flatMap((entry) => (entry.kind === 'result' ? [[entry.callId, entry]] : [])))
  return entries.flatMap((entry, index) => {
    if (entry.kind === 'user') return userUpdates(entry, `message-${index}`)
    return entry.kind === 'reply' ? replyUpdates(entry, `message-${index}`, results) : []
  })
}

function userUpdates({ parts }: UserMessage, messageId: string): readonly SessionUpdate[] {
  return parts.map((part) => ({ sessionUpdate: 'user_message_chunk', messageId, content: blockOf(part) }))
}

function replyUpdates(
  { parts }: Reply,
  messageId: string,
  results: ReadonlyMap<string, CallResult>,
): readonly SessionUpdate[] {
  return parts.flatMap((part): readonly SessionUpdate[] => {
    if (part.kind !== 'call') {
      const sessionUpdate = part.kind === 'text' ? 'agent_message_chunk' : 'agent_thought_chunk'
      return part.text === '' ? [] : [{ sessionUpdate, messageId, content: textBlock(part.text) }]
    }
    const result = results.get(part.callId)
    const end = result === undefined ? ({ status: 'failed' } as const) : endOf(result)
    const { callId: toolCallId } = part
    return [{ sessionUpdate: 'tool_call', toolCallId, ...titleOf(part.name), ...inputFields(part.input), ...end }]
  })
}

function endOf({ end, parts }: CallResult) {
  return { status: endStatus(end), content: callContent(parts) }
}
