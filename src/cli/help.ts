import type { HelpText } from './command.ts'
import { commands, type CommandEntry } from './commands.ts'
import { globalOptionsHelp } from './global-options.ts'

/** `capstan --help`. */
export function overallHelp(): string {
  const groups = ['Use', 'Set up', 'Watch', 'Run', 'Agent', 'Library', 'More'] as const
  const width = Math.max(...Object.values(commands).map(({ usage }) => usage.length))
  const rows = groups.map((group) => {
    const own = Object.values(commands).filter((entry) => entry.group === group)
    return [group, ...own.map((entry) => row(entry, width)), ...(group === 'More' ? moreRows(width) : [])].join('\n')
  })
  return `capstan: one hub for all of your MCP servers

Usage: capstan [command] [flags]        without a command: a session, or in a pipe an overview of your servers

${rows.join('\n\n')}

Flags of every command
${globalOptionsHelp}
`
}

function row({ usage, summary }: Pick<CommandEntry, 'usage' | 'summary'>, width: number): string {
  return `  ${usage.padEnd(width)}  ${summary}`
}

function moreRows(width: number): readonly string[] {
  return [
    row({ usage: 'help [command|topic]', summary: 'topics: exit-codes, config, names, policy' }, width),
    row({ usage: '--version', summary: 'the version' }, width),
  ]
}

/** `capstan help VERB` and `capstan VERB --help`. */
export function commandHelp({ usage, summary, help }: HelpText): string {
  return `capstan ${usage}: ${summary}

${help.trim()}

Flags of every command
${globalOptionsHelp}
`
}
