import type { Hub, PromptEntry } from '../hub/api.ts'
import type { Command, RunOptions } from './command.ts'
import { executeForm, executeParsed, guarded } from './execute.ts'
import type { ParsedLine } from './grammar.ts'
import type { Form, Outcome } from './outcome.ts'
import { parseLine } from './parse-line.ts'
import { promptCommand } from './prompt-command.ts'
import { serverValues, type ServerValuesOptions } from './server-values.ts'
import { suggestArguments } from './suggest-arguments.ts'

/** Prompts for hosts that have slash commands of their own: what may be typed behind a prompt's name, and what it means. */
export interface PromptLines {
  /** What could come next, each with the whole text behind the name once it is taken. */
  readonly suggest: (
    prompt: PromptEntry,
    typed: string,
    options?: { readonly signal?: AbortSignal },
  ) => Promise<readonly PromptSuggestion[]>
  /** Renders the prompt; a form when arguments are missing, an error when the text makes no sense. */
  readonly render: (prompt: PromptEntry, typed: string, options?: RunOptions) => Promise<Outcome>
  /** Renders it with the values of such a form. */
  readonly submit: (prompt: PromptEntry, form: Form, options: SubmitOptions) => Promise<Outcome>
}

export interface PromptSuggestion {
  readonly text: string
  readonly label: string
  readonly detail?: string
}

interface SubmitOptions extends RunOptions {
  readonly values: Readonly<Record<string, string>>
}

export function promptLines(
  hub: Pick<Hub, 'prompt' | 'complete'>,
  completion: Omit<ServerValuesOptions, 'hub'> = {},
): PromptLines {
  const values = serverValues({ hub, ...completion })
  const commandOf = (prompt: PromptEntry) => promptCommand(prompt, hub, values)

  return {
    async suggest(prompt, typed, { signal } = {}) {
      const command = commandOf(prompt)
      const reparse = (line: string) => parse(line, command)
      const line = `${start}${typed}`
      const place = { line, cursor: line.length, parsed: reparse(line), command, reparse, signal }
      const { from, to, items } = await suggestArguments(place)
      return items.map(({ insert, label, detail }) => ({
        text: `${line.slice(0, from)}${insert}${line.slice(to)}`.slice(start.length),
        label,
        ...(detail === undefined ? {} : { detail }),
      }))
    },
    render(prompt, typed, options = {}) {
      const command = commandOf(prompt)
      const line = `${start}${typed}`
      return guarded(() => executeParsed(command, parse(line, command), { ...options, line }))
    },
    submit: (prompt, form, options) => guarded(() => executeForm(commandOf(prompt), form, options)),
  }
}

/** Names may hold anything; the grammar need not read the one that the host has read already. */
const start = '/prompt '

function parse(line: string, command: Command): ParsedLine {
  return parseLine(line, (_name, firstWord) => command.declare(firstWord))
}
