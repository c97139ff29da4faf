import type { Command } from '../command.ts'
import { runDisabling } from '../disable-servers.ts'

export const command: Command = {
  options: { project: { type: 'boolean' } },
  help: `Keep servers in the file but do not use them: writes "disabled": true where each entry stands.

  --project   only look in the project's .mcp.json
  --json      what was written, as one JSON value

Examples
  capstan disable github
  capstan disable browser database --project`,
  run: (context, input) => runDisabling(context, input, true),
}
