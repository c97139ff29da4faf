import { CapstanError } from '../errors.ts'
import type { PromptEntry } from '../hub/api.ts'
import { closest } from '../hub/catalogue/names.ts'
import type { Command } from './command.ts'

/** The commands by which a name can be found. */
export interface CommandSet {
  readonly builtins: readonly Command[]
  readonly prompts: readonly PromptOfServer[]
  /** Servers that have not said yet what they offer. */
  readonly silent: readonly string[]
}

export interface PromptOfServer {
  readonly prompt: PromptEntry
  readonly command: Command
}

/**
 * The commands that a typed name can mean. Ours come first, so that no server can take their place; then `server:prompt`, also
 * with a dot or a slash; then a prompt's bare name.
 */
export function commandsNamed({ builtins, prompts }: CommandSet, name: string): readonly Command[] {
  const own = builtins.filter((command) => command.name === name)
  if (own.length > 0) return own
  const exact = prompts.filter(({ prompt }) =>
    [':', '.', '/'].some((separator) => name === prompt.server + separator + prompt.prompt),
  )
  const found = exact.length > 0 ? exact : prompts.filter(({ prompt }) => prompt.prompt === name)
  return found.map(({ command }) => command)
}

/** Why a name means no command. */
export function noSuchCommand(set: CommandSet, name: string): CapstanError {
  const found = commandsNamed(set, name)
  if (found.length > 1) {
    const names = found.map((command) => `/${command.name}`).join(', ')
    return new CapstanError('prompt_unknown', `Several prompts are called "${name}": ${names}.`, {
      next: 'Write the full name.',
    })
  }
  const names = [...set.builtins, ...set.prompts.map(({ command }) => command)].map((command) => command.name)
  const silent = set.silent.length === 0 ? '' : ` These servers have not answered yet: ${set.silent.join(', ')}.`
  const message = `There is no command /${name}.${closest(name, names)}${silent}`
  return name.includes(':')
    ? new CapstanError('prompt_unknown', message, { next: 'Type /prompts or /servers to see what there is.' })
    : new CapstanError('usage', message, { next: 'Type /help to see the commands.' })
}
