import { lintPrompt, type LintFinding } from '../../../prompts/lint-prompt.ts'
import type { StoredPrompt } from '../../../prompts/store.ts'
import { exitCodes } from '../../exit-codes.ts'
import { plainLine } from '../../plain-text.ts'
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
  await io.out(`${sentence}\n`)
  for (const finding of findings) io.err(findingLine(finding))
  for (const { where, masked } of secrets) {
    io.err(`Warning: ${where}: ${masked} looks like a secret; whoever gets this prompt gets it too.\n`)
  }
  return exitCodes.ok
}

export function findingLine({ severity, where, message }: LintFinding): string {
  return `${severity === 'error' ? 'Error' : 'Warning'}: ${plainLine(where)}: ${plainLine(message)}.\n`
}

/** `Added standup, revision 1, in the layer user.` */
export function savedSentence(verb: string, { prompt, revision, layer, overrides }: StoredPrompt): string {
  const instead = overrides.length === 0 ? '' : ` It stands in for the one of ${overrides.join(', ')}.`
  return `${verb} ${prompt.name}, revision ${revision}, in the layer ${layer}.${instead}`
}
