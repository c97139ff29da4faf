import { CapstanError } from '../errors.ts'
import { ask } from './ask.ts'
import type { CommandContext, CommandInput } from './command.ts'

/** Before any work: a command that changes files of others needs somebody's word, given before or now. */
export function refuseWithoutAnswer({ flags }: CommandContext, { values }: CommandInput): void {
  if (flags.mayAsk || values['yes'] === true || values['dry-run'] === true) return
  throw new CapstanError('usage', 'There is nobody to ask, so nothing is changed.', {
    next: 'Add --yes to change files, or --dry-run to see what would change.',
  })
}

/** Whether the change that was shown may be made. */
export async function agreed(
  { io, signal }: CommandContext,
  { values }: CommandInput,
  question: string,
): Promise<boolean> {
  if (values['dry-run'] === true) return false
  if (values['yes'] === true) return true
  const isAgreed = (await ask(io, question, { choices: ['yes', 'no'], signal })) === 'yes'
  if (!isAgreed) io.err('Nothing was changed.\n')
  return isAgreed
}
