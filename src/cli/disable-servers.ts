import { editServerFile, type ServerEdit } from '../config/edit.ts'
import { readTrust, recordDecisions, standingOf, trustFile } from '../config/trust.ts'
import type { RawEntry } from '../config/types.ts'
import { builtinNames } from '../daemon/builtins.ts'
import { CapstanError } from '../errors.ts'
import type { CommandContext, CommandInput } from './command.ts'
import { exitCodes } from './exit-codes.ts'
import { locateServers, type PlacedServer } from './server-files.ts'

/** `enable` and `disable`: writes the field in the file where each entry stands. */
export async function runDisabling(context: CommandContext, input: CommandInput, isDisabled: boolean): Promise<number> {
  const verb = isDisabled ? 'disable' : 'enable'
  if (input.positionals.length === 0) {
    throw new CapstanError('usage', `Say which server to ${verb}.`, { next: `Write: capstan ${verb} NAME` })
  }
  const servers = await locateServers(context, input.positionals, {
    project: input.values['project'] === true,
    unwritten: builtinNames,
  })
  const differing = servers.filter(({ entry }) => (entry['disabled'] === true) !== isDisabled)
  for (const [file, group] of Map.groupBy(differing, (server) => server.file)) {
    await editServerFile(
      file,
      group.map((server) => edit(server, isDisabled)),
      { signal: context.signal },
    )
  }
  await keepDecisions(context, differing, isDisabled)
  await context.io.out(context.flags.json ? toJson(servers, differing) : toText(servers, differing, verb))
  return exitCodes.ok
}

function edit({ name, entry }: PlacedServer, isDisabled: boolean): ServerEdit {
  const others = Object.keys(entry).filter((field) => field !== 'disabled')
  // What comes with Capstan stands in a file only to be switched off: without that word the entry would mean nothing.
  if (builtinNames.includes(name) && others.length === 0) {
    return isDisabled ? { kind: 'put', name, entry: { disabled: true } } : { kind: 'remove', name }
  }
  return { kind: 'set', name, field: 'disabled', value: isDisabled ? true : undefined }
}

/** Whoever decided about a project's entry and now only switches it has not changed their mind about the rest. */
async function keepDecisions(
  { io }: CommandContext,
  servers: readonly PlacedServer[],
  isDisabled: boolean,
): Promise<void> {
  const store = await readTrust(trustFile(io.env))
  const decisions = servers.flatMap(({ name, file, entry }) => {
    const decision = standingOf(store, file, name, entry)
    if (decision !== 'trusted' && decision !== 'refused') return []
    return [{ projectFile: file, name, entry: switched(entry, isDisabled), decision }]
  })
  await recordDecisions(trustFile(io.env), decisions)
}

function switched(entry: RawEntry, isDisabled: boolean): RawEntry {
  const { disabled: _disabled, ...others } = entry
  return isDisabled ? { ...others, disabled: true } : others
}

function toText(servers: readonly PlacedServer[], differing: readonly PlacedServer[], verb: string): string {
  const lines = servers.map((server) =>
    differing.includes(server)
      ? `${server.name} is ${verb}d in ${server.file}.`
      : `${server.name} was ${verb}d already in ${server.file}.`,
  )
  const undo = verb === 'disable' ? 'enable' : 'disable'
  return `${lines.join('\n')}\nTo undo: capstan ${undo} ${servers.map(({ name }) => name).join(' ')}\n`
}

function toJson(servers: readonly PlacedServer[], differing: readonly PlacedServer[]): string {
  return `${JSON.stringify(servers.map((server) => ({ name: server.name, file: server.file, changed: differing.includes(server) })))}\n`
}
