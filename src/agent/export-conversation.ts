import { unreachable } from '../errors.ts'
import { textOfMessage } from './model-messages.ts'
import type { CallResult, ConversationEntry, Reply, ReplyPart } from './record.ts'

/** A conversation as a document: Markdown for people, JSON with everything for programs. */
export function exportConversation(entries: readonly ConversationEntry[], format: 'markdown' | 'json'): string {
  if (format === 'json') return `${JSON.stringify(entries, null, 2)}\n`
  return `${entries
    .map(markdownOf)
    .filter((text) => text !== '')
    .join('\n\n')}\n`
}

function markdownOf(entry: ConversationEntry): string {
  switch (entry.kind) {
    case 'start':
      return `# Conversation ${entry.id}\n\n${new Date(entry.atMs).toISOString()}, in \`${entry.folder}\``
    case 'title':
      return `_Named: ${entry.title}_`
    case 'user':
      return `## You${entry.prompt === undefined ? '' : ` (prompt \`${entry.prompt}\`)`}\n\n${textOfMessage(entry)}`
    case 'reply':
      return replyInMarkdown(entry)
    case 'result':
      return resultInMarkdown(entry)
    case 'summary':
      return `## Summary of all before\n\n${entry.text}`
    default:
      return unreachable(entry)
  }
}

function replyInMarkdown({ parts, model, end }: Reply): string {
  const body = parts.map(partInMarkdown).filter((text) => text !== '')
  const note = end === 'cut' || end === 'stopped' ? [`_(${end === 'cut' ? 'cut off' : 'stopped'})_`] : []
  return [`## ${model ?? 'Assistant'}`, ...body, ...note].join('\n\n')
}

function partInMarkdown(part: ReplyPart): string {
  if (part.kind === 'thinking') return part.text === '' ? '' : part.text.replaceAll(/^/gm, '> ')
  if (part.kind === 'text') return part.text.trim()
  const input = part.input.kind === 'json' ? JSON.stringify(part.input.value, null, 2) : part.input.text
  return `**${part.name}**\n\n${fenced(input, 'json')}`
}

function resultInMarkdown(result: CallResult): string {
  return `**${result.name}**: ${result.end}, ${result.ms} ms\n\n${fenced(textOfMessage(result))}`
}

/** A fence that is longer than any in the text. */
function fenced(text: string, language = ''): string {
  const longest = Math.max(2, ...(text.match(/`{3,}/g) ?? []).map((run) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text}\n${fence}`
}

/** The words of an entry, to search in and to name it by. */
export function textOfEntry(entry: ConversationEntry): string {
  if (entry.kind === 'user' || entry.kind === 'result') return textOfMessage(entry)
  if (entry.kind === 'reply') return entry.parts.map((part) => (part.kind === 'text' ? part.text : '')).join('')
  if (entry.kind === 'title') return entry.title
  return entry.kind === 'summary' ? entry.text : ''
}
