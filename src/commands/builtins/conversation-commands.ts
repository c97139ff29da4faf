import type { ConversationEntry } from '../../agent/record.ts'
import { CapstanError, unreachable } from '../../errors.ts'
import { firstSentence } from '../../hub/catalogue/first-sentence.ts'
import { valueOf, type Command, type CommandArgument, type CommandArguments } from '../command.ts'
import type { ConversationInfo, Conversations } from '../context.ts'
import { notice, printed, text, type Outcome } from '../outcome.ts'
import { timeText } from '../time-text.ts'
import { toolLabel } from '../tool-label.ts'
import type { Workings } from '../workings.ts'
import { copyCommand, exportCommand } from './export-commands.ts'
import { actionSlot, argument, completeFrom, takes, takesNothing } from './arguments.ts'

/** What concerns conversations: this one, those before it, leaving. */
export function conversationCommands(workings: Workings): readonly Command[] {
  return [
    historyCommand(workings),
    conversationsCommand(workings),
    resumeCommand(workings),
    exportCommand(workings),
    copyCommand(workings),
    sessionAction('clear', 'Begin a new conversation; the old one is kept'),
    sessionAction('exit', 'Leave'),
    { ...sessionAction('exit', 'Leave'), key: 'builtin:quit', name: 'quit' },
  ]
}

function sessionAction(kind: 'clear' | 'exit', summary: string): Command {
  return {
    key: `builtin:${kind}`,
    kind: 'builtin',
    name: kind,
    summary,
    declare: takesNothing,
    run: async () => ({ kind: 'session', action: { kind } }),
  }
}

function historyCommand({ context: { session }, catalogue }: Workings): Command {
  const labelOf = (name: string) => toolLabel(catalogue.current(), name)
  return {
    key: 'builtin:history',
    kind: 'builtin',
    name: 'history',
    summary: 'Show this conversation in short',
    declare: takesNothing,
    run: async () => {
      const rows = session()
        .history()
        .flatMap((entry) => historyRow(entry, labelOf))
      if (rows.length === 0) return printed(notice('Nothing has been said yet.'))
      return printed({ kind: 'table', columns: ['Who', 'What'], rows })
    },
  }
}

function historyRow(
  entry: ConversationEntry,
  labelOf: (name: string) => string,
): readonly (readonly [string, string])[] {
  switch (entry.kind) {
    case 'user':
      return [['you', entry.prompt === undefined ? partsText(entry.parts) : `/${entry.prompt}`]]
    case 'reply':
      return entry.parts.flatMap((part): readonly (readonly [string, string])[] => {
        if (part.kind === 'text') return [[entry.model ?? 'prompt', firstSentence(part.text, 200)]]
        return part.kind === 'call' ? [['call', labelOf(part.name)]] : []
      })
    case 'result':
      return [['result', `${labelOf(entry.name)}: ${entry.end}, ${Math.round(entry.ms)} ms`]]
    case 'summary':
      return [['summary', firstSentence(entry.text, 200)]]
    case 'start':
    case 'title':
      return []
    default:
      return unreachable(entry)
  }
}

function partsText(parts: Extract<ConversationEntry, { kind: 'user' }>['parts']): string {
  const texts = parts.map((part) => {
    if (part.kind === 'text') return firstSentence(part.text, 200)
    return part.kind === 'resource' ? `[${part.uri}]` : `[${part.mimeType}]`
  })
  return texts.join(' ')
}

const actions = { rename: 'Give one another title', delete: 'Delete one for good' }

function conversationsCommand({ context: { conversations } }: Workings): Command {
  const declare = (first: string): CommandArguments => {
    const action = actionSlot(actions)
    const id = { ...idSlot(conversations), required: true }
    if (first === 'delete') return takes(action, { ...id, takesRest: false })
    if (first === 'rename')
      return takes(action, id, argument('title', { description: 'The new title', required: true }))
    return takes({ ...action, name: 'words', description: 'Words to search for, or rename or delete' })
  }
  return {
    key: 'builtin:conversations',
    kind: 'builtin',
    name: 'conversations',
    summary: 'List or search the conversations, rename or delete one',
    usage: '[WORDS] | rename ID TITLE | delete ID',
    declare,
    run: async (input) => {
      const action = valueOf(input, 'action')
      if (action === undefined) return listConversations(conversations, valueOf(input, 'words'))
      const { id } = await find(conversations, valueOf(input, 'id') ?? '')
      if (action === 'delete') {
        await conversations.remove(id)
        return printed(text(`Deleted: ${id}.`))
      }
      const title = valueOf(input, 'title') ?? ''
      await conversations.rename(id, title)
      return printed(text(`${id} is now called "${title}".`))
    },
  }
}

async function listConversations(conversations: Conversations, words: string | undefined): Promise<Outcome> {
  const found = await conversations.list(words)
  if (found.length === 0) return printed(notice(words === undefined ? 'There are none yet.' : `None holds "${words}".`))
  const rows = found.map(({ id, title = '', changedAtMs, messages }) => [
    id,
    timeText(changedAtMs),
    String(messages),
    title,
  ])
  return printed(
    { kind: 'table', columns: ['Id', 'Last used', 'Messages', 'Title'], rows },
    text('Go on with one: /resume ID'),
  )
}

function resumeCommand({ context: { conversations } }: Workings): Command {
  return {
    key: 'builtin:resume',
    kind: 'builtin',
    name: 'resume',
    summary: 'Go on with an earlier conversation',
    declare: () => takes(idSlot(conversations)),
    run: async (input) => {
      const wanted = valueOf(input, 'id')
      if (wanted === undefined) return { kind: 'session', action: { kind: 'pick_conversation' } }
      const { id } = await find(conversations, wanted)
      return { kind: 'session', action: { kind: 'resume', id } }
    },
  }
}

function idSlot(conversations: Conversations): CommandArgument {
  const known = async () =>
    (await conversations.list()).map(({ id, title, changedAtMs }) => ({
      value: id,
      detail: [title, timeText(changedAtMs)].filter((part) => part !== undefined).join(', '),
    }))
  return argument('id', { description: 'The id of a conversation, or its start', complete: completeFrom(known) })
}

/** By id, or by the start of one when only one begins so. */
async function find(conversations: Conversations, wanted: string): Promise<ConversationInfo> {
  const all = await conversations.list()
  const exact = all.filter(({ id }) => id === wanted)
  const found = exact.length > 0 ? exact : all.filter(({ id }) => wanted !== '' && id.startsWith(wanted))
  const [only] = found
  if (only !== undefined && found.length === 1) return only
  const what =
    found.length === 0 ? `There is no conversation "${wanted}".` : `Several conversations begin with "${wanted}".`
  throw new CapstanError('usage', what, { next: 'Type /conversations to see them.' })
}
