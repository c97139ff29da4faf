import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { ConversationEntry } from '../../agent/record.ts'
import { CapstanError, messageOf } from '../../errors.ts'
import { valueOf, type Command } from '../command.ts'
import { notice, printed, text } from '../outcome.ts'
import type { Workings } from '../workings.ts'
import { argument, takes, takesNothing } from './arguments.ts'

/** `/export [file]`. */
export function exportCommand({ context: { conversations, session, folder } }: Workings): Command {
  return {
    key: 'builtin:export',
    kind: 'builtin',
    name: 'export',
    summary: 'Write this conversation to a file: Markdown, or JSON when its name ends in .json',
    declare: () => takes(argument('file', { description: 'A new file, such as talk.md or talk.json' })),
    run: async (input) => {
      const id = session().status().conversation
      const file = resolve(folder, valueOf(input, 'file') ?? `conversation-${id}.md`)
      const document = await conversations.export(id, file.endsWith('.json') ? 'json' : 'markdown')
      await writeNew(file, document)
      return printed(text(`Written: ${file}`))
    },
  }
}

/** Never writes over a file that is there. */
async function writeNew(file: string, document: string): Promise<void> {
  try {
    await writeFile(file, document, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST'
    const why = isThere ? 'it is there already' : messageOf(error)
    throw new CapstanError('usage', `${file} cannot be written: ${why}.`, {
      cause: error,
      next: 'Name another file: /export FILE',
    })
  }
}

/** `/copy`: the clipboard is the screen's. */
export function copyCommand({ context: { session } }: Workings): Command {
  return {
    key: 'builtin:copy',
    kind: 'builtin',
    name: 'copy',
    summary: "Copy the model's last answer",
    declare: takesNothing,
    run: async () => {
      const answer = lastAnswer(session().history())
      if (answer === undefined) return printed(notice('There is no answer to copy yet.'))
      return { kind: 'session', action: { kind: 'copy', text: answer } }
    },
  }
}

function lastAnswer(entries: readonly ConversationEntry[]): string | undefined {
  const texts = entries.flatMap((entry) => {
    if (entry.kind !== 'reply' || entry.model === undefined) return []
    const said = entry.parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('')
    return said === '' ? [] : [said]
  })
  return texts.at(-1)
}
