import { dirname } from 'node:path'
import { editServerFile, readServerFile } from '../../config/edit.ts'
import { parseEntry } from '../../config/entry.ts'
import { startsCapstan } from '../../config/self.ts'
import { isServerName, slugOf } from '../../config/server-name.ts'
import { recordDecisions, trustFile } from '../../config/trust.ts'
import type { RawEntry } from '../../config/types.ts'
import { CapstanError } from '../../errors.ts'
import { maskEntry } from '../../policy/secrets.ts'
import type { Command, CommandContext, CommandInput } from '../command.ts'
import { describeEntry } from '../describe-entry.ts'
import { entryFromArguments } from '../entry-from-arguments.ts'
import { entryAdvice } from '../entry-advice.ts'
import { exitCodes } from '../exit-codes.ts'
import { shellQuote } from '../render/example.ts'
import { serverFiles, type ServerFiles } from '../server-files.ts'

export const command: Command = {
  options: {
    env: { type: 'string', multiple: true },
    cwd: { type: 'string' },
    type: { type: 'string' },
    project: { type: 'boolean' },
    force: { type: 'boolean' },
  },
  help: `Add a server to your own mcp.json: a program after "--", or the URL of a remote server. Nothing is started.

  --env K=V       a variable for the program (repeatable); write '\${NAME}' to take it from your own environment
  --cwd DIR       the folder the program runs in
  --header K=V    a header for the URL (repeatable)
  --type KIND     http or sse; found out by itself when absent
  --project       into the project's .mcp.json, which others share; you trust what you add
  --force         replace a server of that name
  --json          what was written, as one JSON value

Comments and order in the file are kept.

Examples
  capstan add files -- npx -y @modelcontextprotocol/server-filesystem ~/notes
  capstan add docs https://docs.example/mcp --header 'Authorization=Bearer \${DOCS_TOKEN}'
  capstan add db --project --env 'URL=\${DATABASE_URL}' -- uvx mcp-postgres`,
  ownText: { stdout: true },
  adviceOnFlag,
  run,
}

/** The likeliest slip: what is to be run has flags of its own, and no "--" stands before it. */
function adviceOnFlag([name, ...program]: readonly string[]): string | undefined {
  if (name === undefined || program[0] === undefined || program.includes('--')) return undefined
  if (name.startsWith('-') || program[0].startsWith('-')) {
    return 'What is run stands behind "--", with its own flags: capstan add NAME -- COMMAND…'
  }
  return `What is run stands behind "--", with its own flags: capstan add ${[name, '--', ...program].map(shellQuote).join(' ')}`
}

interface Addition {
  readonly name: string
  readonly entry: RawEntry
  readonly file: string
  readonly isProject: boolean
}

async function run(context: CommandContext, input: CommandInput): Promise<number> {
  const { io, signal } = context
  const isProject = input.values['project'] === true
  const files = await serverFiles(context)
  const file = targetOf(context, files, isProject)
  const name = nameOf(input)
  const folder = isProject ? dirname(file) : undefined
  const entry = entryFromArguments(input, { headers: context.flags.header, cwd: io.cwd, folder })
  const { warnings } = parseEntry(entry, { name, file })
  if (startsCapstan(entry)) throw selfReference(name)

  const before = (await readServerFile(file)).get(name)
  if (before !== undefined && input.values['force'] !== true) throw taken(name, file, before)
  // Shared by a team and kept in git, a project file is readable like the files around it.
  await editServerFile(file, [{ kind: 'put', name, entry }], { signal, mode: isProject ? 0o644 : 0o600 })
  if (isProject) await recordDecisions(trustFile(io.env), [{ projectFile: file, name, entry, decision: 'trusted' }])

  const addition: Addition = { name, entry, file, isProject }
  const advice = await entryAdvice({ ...addition, files, env: io.env })
  for (const warning of [...warnings, ...advice]) io.err(`Warning: ${warning}\n`)
  await io.out(context.flags.json ? toJson(addition, before) : toText(addition, before))
  return exitCodes.ok
}

function targetOf({ flags }: CommandContext, files: ServerFiles, isProject: boolean): string {
  if (flags.stdio !== undefined || flags.url !== undefined) {
    throw new CapstanError('usage', '"add" takes the command or the URL without --stdio or --url.', {
      next: 'Write: capstan add NAME URL, or capstan add NAME -- COMMAND…',
    })
  }
  if (isProject && flags.config.length > 0) {
    throw new CapstanError('usage', 'Give either --project or --config, not both: each names a file to write to.')
  }
  return isProject ? files.project : files.user
}

function nameOf({ positionals: [name] }: CommandInput): string {
  if (name === undefined) {
    throw new CapstanError('usage', 'A server needs a name and what to run.', {
      next: 'Write: capstan add NAME URL, or capstan add NAME -- COMMAND…',
    })
  }
  if (isServerName(name)) return name
  const rule =
    name === 'mcp' ? 'it is reserved' : 'a name is letters, digits, "-" and "_", beginning with one of the first two'
  throw new CapstanError('usage', `"${name}" cannot be the name of a server: ${rule}.`, {
    next: `Use "${slugOf(name)}" instead.`,
  })
}

function taken(name: string, file: string, before: RawEntry): CapstanError {
  return new CapstanError('usage', `There is a server "${name}" in ${file} already: ${describeEntry(before)}.`, {
    server: name,
    next: 'Choose another name, or replace it with --force.',
  })
}

function selfReference(name: string): CapstanError {
  return new CapstanError('config_invalid', `"${name}" would start Capstan inside Capstan, without end.`, {
    server: name,
    next: 'Add the servers themselves instead; "capstan import" brings in those of other clients.',
  })
}

function toText({ name, entry, file }: Addition, before: RawEntry | undefined): string {
  const verb = before === undefined ? 'Added' : 'Replaced'
  return `${verb} ${name} in ${file}: ${describeEntry(entry)}\nNext: capstan list ${name}\n`
}

function toJson({ name, entry, file, isProject }: Addition, before: RawEntry | undefined): string {
  const layer = isProject ? 'project' : 'user'
  return `${JSON.stringify({ name, file, layer, entry: maskEntry(entry), replaced: before !== undefined })}\n`
}
