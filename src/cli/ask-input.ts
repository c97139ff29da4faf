import type { InputQuestion } from '../config/inputs.ts'
import { ask } from './ask.ts'
import type { CommandContext } from './command.ts'

/** Asks a person for the value of an `${input:id}`. What is not declared to be public is typed unseen. */
export function askInput({
  io,
  signal,
}: Pick<CommandContext, 'io' | 'signal'>): (question: InputQuestion) => Promise<string> {
  return ({ server, id, declaration }) =>
    ask(io, `${declaration?.description ?? `Value of "${id}"`} (server "${server}"):`, {
      hidden: declaration?.isSecret ?? true,
      signal,
      ...(declaration?.options === undefined ? {} : { choices: declaration.options }),
      ...(declaration?.default === undefined ? {} : { default: declaration.default }),
    })
}
