import { cutMiddle } from './cut-middle.ts'
import { exportConversation } from './export-conversation.ts'
import type { Message } from './record.ts'
import { repairHistory, visibleMessages } from './repair-history.ts'
import { runStep } from './run-step.ts'
import type { TurnOutcome } from './session.ts'
import type { TurnWorld } from './turn-world.ts'

/** Has the model write a summary, which stands for everything before it from then on. The file keeps what was said. */
export async function compact(world: TurnWorld): Promise<TurnOutcome> {
  const messages = repairHistory(visibleMessages(world.entries()))
  if (messages.length === 0) return { kind: 'handled' }
  const transcript = transcriptOf(messages, world.model().contextTokens)
  const request = {
    instructions: howToSummarise,
    messages: [{ kind: 'user', atMs: world.clock.now(), parts: [{ kind: 'text', text: transcript }] } as const],
    tools: [],
  }
  const outcome = await runStep(request, { ...world, emit: () => undefined })
  if (outcome.kind === 'stopped') return { kind: 'stopped' }
  if (outcome.kind === 'failed') return { kind: 'failed', error: outcome.error }
  const text =
    outcome.kind === 'reply' ? outcome.reply.parts.map((part) => (part.kind === 'text' ? part.text : '')).join('') : ''
  await world.append({ kind: 'summary', atMs: world.clock.now(), text })
  const count = `${messages.length} messages`
  world.notice({
    level: 'info',
    code: 'compacted',
    text: `${count} are a summary for the model now; the file keeps them.`,
  })
  return { kind: 'answered', text, refusals: [] }
}

const howToSummarise = `You write the summary that will stand for a conversation from now on. Keep what is needed to go on: what the user wants, what was decided and found out (with names, paths, ids and numbers as they are), what was done and with which outcome, and what is still open. Leave out what no longer matters. Write plain text, in the language of the conversation, and nothing besides the summary.`

/** Bytes that a token is worth, at the least, in running text. */
const bytesPerToken = 3

/** The conversation as one text that fits: long results lose their middle first, then the conversation does. */
function transcriptOf(messages: readonly Message[], contextTokens: number): string {
  const short = messages.map((message): Message => {
    if (message.kind !== 'result') return message
    const parts = message.parts.map((part) =>
      part.kind === 'text' ? { ...part, text: cutMiddle(part.text, 1024) } : part,
    )
    return { ...message, parts }
  })
  return cutMiddle(exportConversation(short, 'markdown'), Math.floor(contextTokens * 0.6 * bytesPerToken))
}
