import type { TrustStanding } from '../config/trust.ts'
import { openPromptStore } from '../prompts/open-store.ts'
import type { Io } from './command.ts'
import { revealedText } from '../policy/plain-text.ts'
import { projectPrompts } from './prompt-library.ts'
import { count } from './render/numbers.ts'
import type { PendingServer } from './trust-question.ts'

/** The prompts that the project brings, as one thing to decide on; none where it brings none. */
export async function reviewedPrompts(
  io: Pick<Io, 'env' | 'cwd'>,
): Promise<readonly (PendingServer & { readonly standing: TrustStanding })[]> {
  const { file, entry, standing } = await projectPrompts(io)
  if (standing === 'absent') return []
  return [{ projectFile: file, name: 'prompts', entry, standing, lines: await describePrompts(file, standing) }]
}

const mostNames = 10

/** What is in the file, in a line or two. */
export async function describePrompts(file: string, standing: TrustStanding): Promise<readonly string[]> {
  await using store = openPromptStore({ layers: [{ name: 'project', kind: 'project', file }] })
  const names = (await store.list()).map(({ prompt }) => prompt.name)
  const shown = names.slice(0, mostNames).map(revealedText).join(', ')
  const more = names.length > mostNames ? ` and ${names.length - mostNames} more` : ''
  const changed = standing === 'changed' ? ', changed since you decided on them' : ''
  return [`prompts: ${count(names.length, 'prompt')}${changed}: ${shown}${more}`]
}
