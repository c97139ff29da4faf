import { editServerFile, readServerFile } from '../../config/edit.ts'
import { CapstanError } from '../../errors.ts'
import type { Command, CommandContext, CommandInput } from '../command.ts'
import { exitCodes } from '../exit-codes.ts'
import { locateServers, serverFiles, type PlacedServer } from '../server-files.ts'

export const command: Command = {
  options: { project: { type: 'boolean' } },
  help: `Take servers out of the file where their entries stand. Comments and the other entries are kept.

  --project   only look in the project's .mcp.json
  --json      what was removed, as one JSON value

Where your file and the project's have the same name, the project's entry is the one in force, and the one that goes.

Examples
  capstan remove github
  capstan remove browser database --project`,
  run,
}

async function run(context: CommandContext, input: CommandInput): Promise<number> {
  const { io, flags, signal } = context
  if (input.positionals.length === 0) {
    throw new CapstanError('usage', 'Say which server to remove.', { next: 'Write: capstan remove NAME' })
  }
  const servers = await locateServers(context, input.positionals, { project: input.values['project'] === true })
  for (const [file, group] of Map.groupBy(servers, (server) => server.file)) {
    await editServerFile(
      file,
      group.map(({ name }) => ({ kind: 'remove', name })),
      { signal },
    )
  }
  const remaining = await remainingOf(context, servers)
  if (flags.json) {
    await io.out(
      `${JSON.stringify(servers.map(({ name, file }) => ({ name, file, stillIn: remaining.get(name) ?? [] })))}\n`,
    )
    return exitCodes.ok
  }
  await io.out(servers.map(({ name, file }) => `Removed ${name} from ${file}.\n`).join(''))
  for (const [name, files] of remaining) {
    io.err(
      `${name} also stands in ${files.join(' and ')}, which is in force now. To remove it too: capstan remove ${name}\n`,
    )
  }
  return exitCodes.ok
}

/** The names that another file has as well, with those files. */
async function remainingOf(
  context: CommandContext,
  servers: readonly PlacedServer[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { inForce } = await serverFiles(context)
  const known = await Promise.all(inForce.map(async (file) => ({ file, names: await readServerFile(file) })))
  const remaining = servers.map(({ name }) => {
    const files = known.filter(({ names }) => names.has(name)).map(({ file }) => file)
    return [name, files] as const
  })
  return new Map(remaining.filter(([, files]) => files.length > 0))
}
