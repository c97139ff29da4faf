import type { SessionUpdate } from '@agentclientprotocol/sdk'
import { expect, test } from 'vitest'
import { openOutbox } from '../../../src/hosts/acp/outbox.ts'

const chunk = (text: string, messageId = 'm1'): SessionUpdate => ({
  sessionUpdate: 'agent_message_chunk',
  messageId,
  content: { type: 'text', text },
})

/** An editor that reads only when it is told to. */
function slowEditor() {
  const sent: SessionUpdate[] = []
  const reads: (() => void)[] = []
  const send = (update: SessionUpdate) => {
    sent.push(update)
    return new Promise<void>((resolve) => reads.push(resolve))
  }
  return { sent, send, read: () => reads.shift()?.() }
}

test('what waits for a slow editor is put together, in order, and nothing is lost', async () => {
  const { sent, send, read } = slowEditor()
  const outbox = openOutbox(send)

  outbox.put(chunk('a'))
  await Promise.resolve()
  for (const letter of 'bcdef') outbox.put(chunk(letter))
  outbox.put({ sessionUpdate: 'tool_call', toolCallId: 'c1', title: 't' })
  outbox.put({ sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'in_progress' })
  outbox.put({ sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'completed', title: 'u' })
  outbox.put(chunk('x', 'm2'))
  const settled = outbox.settled()
  for (let turn = 0; turn < 50; turn += 1) {
    read()
    await Promise.resolve()
  }
  await settled

  expect(sent).toEqual([
    chunk('a'),
    chunk('bcdef'),
    { sessionUpdate: 'tool_call', toolCallId: 'c1', title: 't' },
    { sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'completed', title: 'u' },
    chunk('x', 'm2'),
  ])
})

test('an editor that has gone makes nothing fail', async () => {
  const outbox = openOutbox(() => Promise.reject(new Error('closed')))

  outbox.put(chunk('a'))
  outbox.put(chunk('b', 'm2'))

  await expect(outbox.settled()).resolves.toBeUndefined()
})
