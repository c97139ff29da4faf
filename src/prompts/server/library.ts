import type { Proposals } from '../proposals.ts'
import type { Prompt, PromptMessage } from '../prompt.ts'
import { renderPrompt } from '../render-prompt.ts'
import type { PromptSearch } from '../search.ts'
import type { PromptStore } from '../store.ts'
import type { SeenValues } from './seen-values.ts'
import type { ServerLog } from './server-log.ts'

/** What a client may do to the library: `propose` leaves every change to a person. */
export type Writing = 'none' | 'propose' | 'direct'

/** What the requests of all clients work on. */
export interface Library {
  readonly store: PromptStore
  readonly search: PromptSearch
  /** Where changes wait for a person. */
  readonly proposals: Proposals
  readonly writing: Writing
  readonly pageSize: number
  readonly seen: SeenValues
  readonly log: ServerLog
}

/** The messages of a prompt, with the values remembered for completion. */
export async function renderServed(
  { store, seen }: Library,
  prompt: Prompt,
  args: Readonly<Record<string, string>>,
): Promise<PromptMessage[]> {
  const messages = await renderPrompt(prompt, args, { include: async (name) => (await store.get(name)).prompt })
  seen.remember(prompt, args)
  return [...messages]
}
