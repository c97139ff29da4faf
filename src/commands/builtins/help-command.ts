import { CapstanError } from '../../errors.ts'
import { closest } from '../../hub/catalogue/names.ts'
import { valueOf, type Command, type CommandArgument } from '../command.ts'
import { printed, text, type Block } from '../outcome.ts'
import { writeName } from '../print-line.ts'
import type { Workings } from '../workings.ts'
import { argument, completeFrom, takes } from './arguments.ts'

/** `/help [command]`. */
export function helpCommand({ commands }: Workings): Command {
  const names = () => commands().map(({ name, summary }) => ({ value: name, detail: summary }))
  return {
    key: 'builtin:help',
    kind: 'builtin',
    name: 'help',
    summary: 'List the commands, or say what one of them takes',
    declare: () =>
      takes(
        argument('command', { description: 'A command, with or without its slash', complete: completeFrom(names) }),
      ),
    run: async (input) => {
      const wanted = valueOf(input, 'command')?.replace(/^\//, '')
      return wanted === undefined ? printed(...overview(commands())) : printed(...about(find(commands(), wanted)))
    },
  }
}

function find(commands: readonly Command[], name: string): Command {
  const exact = commands.filter((command) => command.name === name)
  const [found, ...more] = exact.length > 0 ? exact : commands.filter((command) => command.name.endsWith(`:${name}`))
  if (found !== undefined && more.length === 0) return found
  const near = closest(
    name,
    commands.map((command) => command.name),
  )
  throw new CapstanError('usage', `There is no command /${name}.${near}`, { next: 'Type /help to see them all.' })
}

function overview(commands: readonly Command[]): readonly Block[] {
  const own = commands.filter(({ kind }) => kind === 'builtin')
  const prompts = commands.length - own.length
  const more =
    prompts === 0
      ? 'No server that is connected offers prompts.'
      : `And ${prompts} ${prompts === 1 ? 'prompt' : 'prompts'} of your servers: type / to see them, or /prompts.`
  return [
    {
      kind: 'table',
      columns: ['Command', 'Does'],
      rows: own.map((command) => [usageOf(command), command.summary]),
    },
    text(more),
    text(
      'Values with blanks go in quotes. @ mentions a file or a resource. Tab completes names, arguments and values.',
    ),
  ]
}

function about(command: Command): readonly Block[] {
  const { slots } = command.declare('')
  const rows = slots.map((slot) => [slot.name, slot.required ? 'required' : '', slot.description ?? slot.title ?? ''])
  const table: Block = { kind: 'table', columns: ['Argument', '', 'About'], rows }
  return [text(`${usageOf(command)}\n${command.summary}`), ...(rows.length === 0 ? [] : [table])]
}

/** How a command is typed: `/server:prompt WHO [CITY]`. */
export function usageOf({ name, usage, declare }: Command): string {
  if (usage !== undefined) return `${writeName(name)} ${usage}`
  const wordOf = ({ name: slot, title, required }: CommandArgument) => {
    const word = (title ?? slot).toUpperCase()
    return required ? word : `[${word}]`
  }
  return [writeName(name), ...declare('').slots.map(wordOf)].join(' ')
}
