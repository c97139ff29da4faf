import { openPromptStore } from '../../../prompts/open-store.ts'
import { ask } from '../../ask.ts'
import type { CommandContext } from '../../command.ts'
import { revealedText } from '../../plain-text.ts'
import { decideOnPrompts, type ProjectPrompts } from '../../../config/project-prompts.ts'
import { count } from '../../render/numbers.ts'

const mostNames = 10

/** Asks whether the prompts of this project may be used; where nobody can be asked, says how to approve them. */
export async function askAboutProjectPrompts(
  { io, flags, signal }: CommandContext,
  prompts: ProjectPrompts,
): Promise<boolean> {
  const { file, standing } = prompts
  const what = standing === 'changed' ? 'The prompts of this project have changed' : 'This project brings prompts'
  if (!flags.mayAsk) {
    io.err(`${what}, and they are left out until you approve them: ${file}\nNext: capstan review\n`)
    return false
  }
  const names = await namesIn(file)
  const shown = names.slice(0, mostNames).map(revealedText).join(', ')
  const more = names.length > mostNames ? ` and ${names.length - mostNames} more` : ''
  io.err(`${what}: ${revealedText(file)}\n  ${count(names.length, 'prompt')}: ${shown}${more}\n`)
  const answer = await ask(io, 'Use them?', { choices: ['yes', 'no'], signal })
  await decideOnPrompts(io.env, prompts, answer === 'yes' ? 'trusted' : 'refused')
  return answer === 'yes'
}

export async function namesIn(file: string): Promise<readonly string[]> {
  await using store = openPromptStore({ layers: [{ name: 'project', kind: 'project', file }] })
  return (await store.list()).map(({ prompt }) => prompt.name)
}
