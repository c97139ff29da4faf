import { lintPrompt, type LintFinding } from '../../../prompts/lint-prompt.ts'
import type { StoredPrompt } from '../../../prompts/store.ts'
import { exitCodes } from '../../exit-codes.ts'
import { plainLine } from '../../../policy/plain-text.ts'
import type { PromptLibrary } from '../../prompt-library.ts'
import { findSecretsIn } from './find-secrets.ts'
import { wholePrompt } from './prompt-row.ts'
import type { LibraryContext } from './subcommand.ts'

/** Who the history says it was. */
export const writer = { by: 'capstan' }

/** Says that a prompt was saved, and what is doubtful about it. */
export async function reportSaved(
  { io, flags }: LibraryContext,
  library: PromptLibrary,
  { stored, sentence }: { readonly stored: StoredPrompt; readonly sentence: string },
): Promise<number> {
  if (stored.layer === 'project') await library.approveOwnChange()
  const findings = lintPrompt(stored.prompt)
  const secrets = findSecretsIn(stored.prompt)
  if (flags.json) {
    await io.out(`${JSON.stringify({ ...wholePrompt(stored), findings, secrets })}\n`)
    return exitCodes.ok
  }
  await io.out(`${sentence}${await standing(library, stored)}\n`)
  for (const finding of findings) io.err(findingLine(finding))
  for (const { where, masked } of secrets) {
    io.err(`Warning: ${where}: ${masked} looks like a secret; whoever gets this prompt gets it too.\n`)
  }
  return exitCodes.ok
}

function findingLine({ severity, where, message }: LintFinding): string {
  return `${severity === 'error' ? 'Error' : 'Warning'}: ${plainLine(where)}: ${plainLine(message)}.\n`
}

/** `Added standup, revision 1, in the layer user.` */
export function savedSentence(verb: string, { prompt, revision, layer }: StoredPrompt): string {
  return `${verb} ${prompt.name}, revision ${revision}, in the layer ${layer}.`
}

/** What people would wonder about: which prompt of this name is in force now. */
async function standing({ store }: PromptLibrary, { prompt, layer }: StoredPrompt): Promise<string> {
  const inForce = await store.get(prompt.name)
  if (inForce.layer !== layer) return ` The one of the layer ${inForce.layer} is in force all the same.`
  return inForce.overrides.length === 0 ? '' : ` It stands in for the one of ${inForce.overrides.join(', ')}.`
}
