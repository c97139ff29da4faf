import type { ParseArgsOptionsConfig } from 'node:util'

/** The flags that every verb takes. */
export const globalOptions = {
  json: { type: 'boolean' },
  config: { type: 'string', multiple: true },
  stdio: { type: 'string' },
  url: { type: 'string' },
  header: { type: 'string', multiple: true },
  timeout: { type: 'string' },
  'trust-project': { type: 'boolean' },
  'no-input': { type: 'boolean' },
  debug: { type: 'boolean' },
  'no-daemon': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
} as const satisfies ParseArgsOptionsConfig

/** What help says about them. */
export const globalOptionsHelp = `  --json              machine output: one JSON value on stdout
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
