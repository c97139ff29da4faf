import { readServerFile } from '../../config/edit.ts'
import { describeChange } from '../../config/describe-change.ts'
import { findProject } from '../../config/project.ts'
import {
  decidedEntry,
  readTrust,
  recordDecisions,
  standingOf,
  trustFile,
  type TrustStanding,
  type TrustStore,
} from '../../config/trust.ts'
import { CapstanError } from '../../errors.ts'
import { homeFolder } from '../../files/places.ts'
import { closest } from '../../hub/names.ts'
import { maskEntry } from '../../policy/secrets.ts'
import type { Command, CommandContext, CommandInput } from '../command.ts'
import { exitCodes } from '../exit-codes.ts'
import { revealedText } from '../plain-text.ts'
import { askForTrust, describePending, type PendingServer } from '../trust-question.ts'

export const command: Command = {
  options: { all: { type: 'boolean' } },
  help: `Show which servers of the project's .mcp.json wait for your approval, and approve them. Until then they are not started.

An approval is of the whole entry as it stands in the file. When it changes, it waits again, with the difference.

  NAME…    approve these, also one that you refused before
  --all    approve all that wait
  --json   what waits and what was decided, as one JSON value

On a terminal you are asked. Exit code 0 when nothing waits any more, 5 when something does.

Examples
  capstan review
  capstan review github
  capstan review --all`,
  ownText: { stdout: true },
  run,
}

interface ReviewedServer extends PendingServer {
  readonly standing: TrustStanding
}

async function run(context: CommandContext, input: CommandInput): Promise<number> {
  const { io, flags, signal } = context
  const servers = await projectServers(context)
  const waiting = servers.filter(isWaiting)
  const approved = approvedByName(servers, waiting, input)
  if (approved !== undefined) {
    await recordDecisions(
      trustFile(io.env),
      approved.map((server) => ({ ...server, decision: 'trusted' as const })),
    )
  } else if (flags.mayAsk && waiting.length > 0) {
    await recordDecisions(trustFile(io.env), await askForTrust(io, waiting, { signal }))
  }
  const after = await projectServers(context)
  await io.out(flags.json ? toJson(after) : toText(after, approved ?? []))
  return after.some(isWaiting) ? exitCodes.notAllowed : exitCodes.ok
}

/** A disabled server is not started, so it can wait until it is wanted: enabling it is a change that asks. */
function isWaiting({ standing, entry }: ReviewedServer): boolean {
  return (standing === 'new' || standing === 'changed') && entry['disabled'] !== true
}

async function projectServers({ io }: CommandContext): Promise<readonly ReviewedServer[]> {
  const { file: projectFile } = await findProject(io.cwd, homeFolder(io.env))
  if (projectFile === undefined) return []
  const [entries, store] = await Promise.all([readServerFile(projectFile), readTrust(trustFile(io.env))])
  for (const warning of store.warnings) io.err(`Warning: ${warning}\n`)
  return [...entries].map(([name, entry]) => reviewed(store, { projectFile, name, entry }))
}

function reviewed(store: TrustStore, { projectFile, name, entry }: PendingServer): ReviewedServer {
  const standing = standingOf(store, projectFile, name, entry)
  const before = standing === 'changed' ? decidedEntry(store, projectFile, name) : undefined
  return { projectFile, name, entry, standing, ...(before === undefined ? {} : { before }) }
}

/** The servers that the command line itself approves; undefined when it names none. */
function approvedByName(
  servers: readonly ReviewedServer[],
  waiting: readonly ReviewedServer[],
  { values, positionals }: CommandInput,
): readonly ReviewedServer[] | undefined {
  if (values['all'] === true && positionals.length > 0) throw new CapstanError('usage', 'Give either names or --all.')
  if (values['all'] === true) return waiting
  if (positionals.length === 0) return undefined
  return positionals.map((name) => servers.find((server) => server.name === name) ?? unknownServer(name, servers))
}

function unknownServer(name: string, servers: readonly ReviewedServer[]): never {
  const hint = closest(
    name,
    servers.map((server) => server.name),
  )
  throw new CapstanError('server_unknown', `The project's file has no server "${name}".${hint}`, {
    server: name,
    next: 'Run: capstan review',
  })
}

function toText(servers: readonly ReviewedServer[], approved: readonly ReviewedServer[]): string {
  const [first] = servers
  if (first === undefined) return 'Nothing waits: there are no project servers here.\n'
  const waiting = servers.filter(isWaiting)
  const refused = servers.filter(({ standing }) => standing === 'refused')
  const approvals = approved.length === 0 ? '' : `Approved: ${namesOf(approved)}.\n`
  const heading = waiting.length === 0 ? 'Nothing waits' : 'These wait for your approval'
  const lines = waiting.flatMap(describePending).map((line) => `  ${line}\n`)
  const refusals = refused.length === 0 ? '' : `Refused: ${namesOf(refused)}. To approve one: capstan review NAME\n`
  const next = waiting.length === 0 ? '' : 'Next: capstan review --all, or capstan review NAME…\n'
  return `${approvals}${heading} in ${revealedText(first.projectFile)}${waiting.length === 0 ? '.' : ':'}\n${lines.join('')}${refusals}${next}`
}

function namesOf(servers: readonly ReviewedServer[]): string {
  return servers.map(({ name }) => revealedText(name)).join(', ')
}

function toJson(servers: readonly ReviewedServer[]): string {
  const rows = servers.map(({ projectFile, name, entry, standing, before }) => ({
    name,
    file: projectFile,
    standing,
    entry: maskEntry(entry),
    ...(before === undefined ? {} : { change: describeChange(before, entry) }),
  }))
  return `${JSON.stringify({ servers: rows })}\n`
}
