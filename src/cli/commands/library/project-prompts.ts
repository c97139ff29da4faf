import { decideOnPrompts, type ProjectPrompts } from '../../../config/project-prompts.ts'
import { ask } from '../../ask.ts'
import type { CommandContext } from '../../command.ts'
import { revealedText } from '../../../policy/plain-text.ts'
import { describePrompts } from '../../review-prompts.ts'

/** Asks whether the prompts of this project may be used; where nobody can be asked, says how to approve them. */
export async function askAboutProjectPrompts(
  { io, flags, signal }: CommandContext,
  prompts: ProjectPrompts,
): Promise<boolean> {
  const { file, standing } = prompts
  if (standing === 'absent') return true
  const what = standing === 'changed' ? 'The prompts of this project have changed' : 'This project brings prompts'
  if (!flags.mayAsk) {
    io.err(`${what}, and they are left out until you approve them: ${revealedText(file)}\nNext: capstan review\n`)
    return false
  }
  const lines = await describePrompts(file, standing)
  io.err(`${what}: ${revealedText(file)}\n${lines.map((line) => `  ${line}\n`).join('')}`)
  const answer = await ask(io, 'Use them?', { choices: ['yes', 'no'], signal })
  await decideOnPrompts(io.env, prompts, answer === 'yes' ? 'trusted' : 'refused')
  return answer === 'yes'
}
