import { fileURLToPath } from 'node:url'
import type { ResourceLink } from '@agentclientprotocol/sdk'
import type { ContentPart } from '../../agent/record.ts'
import { CapstanError, messageOf } from '../../errors.ts'
import type { Desk, Linked } from './desk.ts'
import type { Editor } from './editor.ts'
import type { EditorPrompt } from './read-prompt.ts'
import type { News } from './voice.ts'

export interface AttachSetup {
  readonly desk: Pick<Desk, 'readLink'>
  readonly editor: Editor
  readonly tell: (news: News) => void
  readonly signal: AbortSignal
}

/** Everything that came with a prompt, and what its links lead to. */
export async function attachments(
  { parts, links }: Pick<EditorPrompt, 'parts' | 'links'>,
  setup: AttachSetup,
): Promise<readonly ContentPart[]> {
  const read = await Promise.all(links.map((link) => follow(link, setup)))
  return [...parts, ...read.flat()]
}

async function follow({ uri, name }: ResourceLink, setup: AttachSetup): Promise<Linked> {
  const { desk, editor, tell, signal } = setup
  try {
    const path = editor.can.readFiles ? textFile(uri) : undefined
    const text = path === undefined ? undefined : await editor.readFile(path, signal).catch(() => undefined)
    if (text !== undefined && text.length <= mostLetters) return [{ kind: 'resource', uri, text }]
    return (await desk.readLink(uri, { signal })) ?? []
  } catch (error) {
    if (!(error instanceof CapstanError) || signal.aborted) throw error
    tell({ level: 'warning', text: `${name} was not attached: ${messageOf(error)}` })
    return []
  }
}

const mostLetters = 2 ** 21

/** A file that an editor can have as text. */
function textFile(uri: string): string | undefined {
  if (!uri.startsWith('file://') || /\.(?:png|jpe?g|gif|webp|pdf)(?:[?#]|$)/i.test(uri)) return undefined
  try {
    return fileURLToPath(uri)
  } catch {
    // No file of this machine.
    return undefined
  }
}
