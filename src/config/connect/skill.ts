import { join } from 'node:path'
import { skillsFolder, type ClientId, type ImportSurroundings } from '../import/clients.ts'

/** Where a client reads a skill named capstan; undefined where it reads none from the disk. */
export function skillFile(client: ClientId, surroundings: ImportSurroundings): string | undefined {
  const folder = skillsFolder(client, surroundings)
  return folder === undefined ? undefined : join(folder, 'capstan', 'SKILL.md')
}

/** What teaches an agent with a shell to use Capstan without an entry: at most 300 tokens. `program` is how the shell starts it. */
export function skillText(program: string): string {
  const start = program === 'capstan' ? '' : ` For \`capstan\` write \`${program}\`.`
  return `---
name: capstan
description: Reach the user's MCP servers (issue trackers, browsers, databases, docs and others) from the shell. Use it whenever a task needs an outside service or a tool you do not have.
---

Tools are named \`server.tool\`. Use them in a shell.${start}

1. Find: \`capstan search create issue\`. All servers: \`capstan list\`.
2. Look before the first call: \`capstan inspect github.create_issue\`.
3. Call: \`capstan call github.create_issue title="A bug" body=@notes.md\`, or \`--args '{"title":"A bug"}'\`. \`--json\` to parse the result.
4. For several calls, loops or large results run one snippet and return only what you need:
   \`capstan exec -e 'const all = await tools.github.list_issues({}); return all.length'\`

Exit codes: 1 the tool failed; 2 wrong name or arguments, inspect again; 3 server down, run \`capstan doctor SERVER\`; 4 out of time; 5 not allowed, ask the user. Never repeat a call whose outcome is unknown without asking.
`
}
