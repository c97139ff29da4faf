import type { Readable } from 'node:stream'
import { openConversations } from '../../agent/conversations.ts'
import { findProject } from '../../config/project.ts'
import { servesPromptLibrary, startsCapstan } from '../../config/self.ts'
import { isServerName, slugOf } from '../../config/server-name.ts'
import { CapstanError } from '../../errors.ts'
import { homeFolder, places } from '../../files/places.ts'
import type { Office } from '../../hosts/acp/desk.ts'
import { serveAcp } from '../../hosts/acp/serve-acp.ts'
import { version } from '../../version.ts'
import type { CommandContext } from '../command.ts'
import { openEditorDesk } from './open-editor-desk.ts'

export interface EditorWishes {
  /** What `--model` named. */
  readonly model: string | undefined
}

/** Serves one editor on the streams of this process. */
export async function serveEditor(context: CommandContext, wishes: EditorWishes): Promise<void> {
  const { io, signal } = context
  await serveAcp({
    office: officeOf(context, wishes),
    version,
    stdin: (io.stdin ?? process.stdin) as Readable,
    write: io.out,
    signal,
  })
}

function officeOf(context: CommandContext, { model }: EditorWishes): Office {
  const { env } = context.io
  const store = openConversations({ stateFolder: places(env).state })
  return {
    entryRules: {
      nameFor: (name) => (isServerName(name) ? name : slugOf(name)),
      isCapstan: (entry) => startsCapstan(entry) && !servesPromptLibrary(entry),
    },
    openDesk: (wish) => openEditorDesk(context, { ...wish, model, store }),
    async conversations(cwd) {
      if (cwd === undefined) return await store.list()
      return await store.list({ folder: (await findProject(cwd, homeFolder(env))).root })
    },
    async hasConversation(id) {
      try {
        return (await store.open(id)).id === id
      } catch (error) {
        if (error instanceof CapstanError && error.code === 'usage') return false
        throw error
      }
    },
    removeConversation: (id) => store.remove(id),
  }
}
