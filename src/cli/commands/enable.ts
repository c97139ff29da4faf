import type { Command } from '../command.ts'
import { runDisabling } from '../disable-servers.ts'

export const command: Command = {
  options: { project: { type: 'boolean' } },
  help: `Use disabled servers again: takes "disabled" out of the file where each entry stands.

  --project   only look in the project's .mcp.json
  --json      what was written, as one JSON value

Examples
  capstan enable github
  capstan enable browser database --project`,
  run: (context, input) => runDisabling(context, input, false),
}
