import type { Readable } from 'node:stream'
import { openProposals } from '../prompts/proposals.ts'
import { makePromptSearch } from '../prompts/search.ts'
import type { Library, Writing } from '../prompts/server/library.ts'
import { seenValues } from '../prompts/server/seen-values.ts'
import { openServerLog, serverLog } from '../prompts/server/server-log.ts'
import { servePrompts } from '../prompts/server/serve-stdio.ts'
import type { Io } from './command.ts'
import type { PromptLibrary } from './prompt-library.ts'

export interface ServeLibraryOptions {
  readonly io: Io
  readonly signal: AbortSignal
  readonly writing: Writing
  readonly logFile?: string
}

/** Serves a person's library on the streams of this process until the client hangs up. */
export async function serveLibrary(
  opened: PromptLibrary,
  { io, signal, writing, logFile }: ServeLibraryOptions,
): Promise<void> {
  await using _library = opened
  const { store } = opened
  using log = logFile === undefined ? serverLog(io.err) : openServerLog(logFile)
  for (const warning of opened.warnings) log.note(`warning: ${warning}`)
  if (opened.waiting !== undefined) {
    log.note(`The prompts in ${opened.waiting.file} are left out until you approve them. Run: capstan review`)
  }
  for (const { place, line, reason } of await store.problems()) log.note(`${place}:${line} cannot be read: ${reason}`)
  const search = makePromptSearch(store, opened)
  const library: Library = {
    store,
    search,
    proposals: openProposals(opened.proposalsFile),
    writing,
    pageSize: opened.settings.maxPerPage ?? 250,
    seen: seenValues(),
    log,
  }
  await servePrompts({
    library,
    skillFolders: opened.skillFolders,
    signal,
    stdin: (io.stdin ?? process.stdin) as Readable,
    write: io.out,
  })
  await search.keep().catch((error: unknown) => log.failure('keeping the index of the search', error))
}
