import { commands, type CommandEntry } from './commands.ts'

/** `capstan --help`. */
export function overallHelp(): string {
  const groups = ['Use', 'Set up', 'Watch', 'Run', 'More'] as const
  const width = Math.max(...Object.values(commands).map(({ usage }) => usage.length))
  const rows = groups.map((group) => {
    const own = Object.values(commands).filter((entry) => entry.group === group)
    return [group, ...own.map((entry) => row(entry, width)), ...(group === 'More' ? moreRows(width) : [])].join('\n')
  })
  return `capstan: one hub for all of your MCP servers

Usage: capstan [command] [flags]        without a command: an overview of your servers

${rows.join('\n\n')}

Flags of every command
${flagsHelp}
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

/** The flags that every verb takes. */
const flagsHelp = `  --json              machine output: one JSON value on stdout
  --config FILE       use this mcp.json instead of the user's and the project's (repeatable)
  --stdio "COMMAND"   use a server that is in no file, started with this command
  --url URL           use a server that is in no file, at this address
  --header K=V        a header for --url (repeatable)
  --timeout S         give up after this many seconds
  --trust-project     use the servers of the project's file without asking (for CI)
  --no-daemon         run the servers in this process, and end them with it
  --no-input          never ask
  --debug             protocol messages and stack traces on stderr
  -h, --help          help for the command`

/** `capstan help VERB` and `capstan VERB --help`. */
export function commandHelp({ usage, summary }: CommandEntry, details: string): string {
  return `capstan ${usage}: ${summary}

${details.trim()}

Flags of every command
${flagsHelp}
`
}
