import { join } from 'node:path'
import { clientIds, clients } from '../../config/import/clients.ts'
import { copyServers, type CopyOptions, type CopyReport } from '../../config/import/copy-servers.ts'
import { findImportable } from '../../config/import/find-importable.ts'
import type { ImportRow, ImportTable } from '../../config/import/table.ts'
import { recordDecisions } from '../../config/trust.ts'
import { CapstanError } from '../../errors.ts'
import { homeFolder, places } from '../../files/places.ts'
import { nearest } from '../../hub/catalogue/nearest.ts'
import { ask } from '../ask.ts'
import type { Command, CommandContext, CommandInput, Io } from '../command.ts'
import { exitCodes } from '../exit-codes.ts'
import { addExample } from '../choose-servers.ts'
import { wishesOf, type ImportWishes } from '../import-wishes.ts'
import { describeCopy, copyToJson } from '../render/import-report.ts'
import { describeProblem, renderImportTable, tableToJson } from '../render/import-table.ts'
import { count } from '../render/numbers.ts'
import { columnsFor, styleFor } from '../render/style.ts'
import { serverFiles } from '../server-files.ts'

export const command: Command = {
  options: {
    all: { type: 'boolean' },
    servers: { type: 'string', multiple: true },
    project: { type: 'boolean' },
    rename: { type: 'boolean' },
    'move-secrets': { type: 'boolean' },
  },
  help: `Show the MCP servers that other clients on this machine have, and copy them. Nothing is started.

Clients: ${clientIds.join(', ')}; all when none is named.

  --all            copy every server in the table, except those that come with the project
  --servers A,B    copy these
  --project        into the project's .mcp.json instead of your own file; --all then takes all
  --rename         copy a server whose name is taken as NAME-2 instead of leaving it out
  --move-secrets   put literal tokens into secrets.env, readable by you only, and \${NAME} into the entry
  --json           the table, or what was copied, as one JSON value

A server of yours is never overwritten: one with the same name and another entry is left out and named.

Examples
  capstan import
  capstan import cursor vscode --all --move-secrets
  capstan import --servers github,docs --project`,
  ownText: { stdout: true },
  run,
}

async function run(context: CommandContext, input: CommandInput): Promise<number> {
  const { io, flags } = context
  const wishes = wishesOf(context, input)
  const home = homeFolder(io.env)
  const table = await findImportable({ env: io.env, platform: process.platform, home, cwd: io.cwd }, wishes.wanted)
  if (table.rows.length === 0 && wishes.names.length === 0) return await nothingFound(context, table, wishes)
  if (wishes.all || wishes.names.length > 0) {
    for (const problem of table.problems) io.err(`${describeProblem(problem)}\n`)
    if (wishes.all && !wishes.project) tellOfProject(context, table)
    return await copy(context, chosenRows(table, wishes), wishes)
  }
  if (flags.json) {
    await io.out(tableToJson(table))
    return exitCodes.ok
  }
  await io.out(renderImportTable(table, { columns: columnsFor(io), style: styleFor(io) }))
  if (flags.mayAsk) return await askAndCopy(context, table, wishes)
  await io.out(`\nNext: ${nextCommand(table, wishes)}\n`)
  return exitCodes.ok
}

async function nothingFound(context: CommandContext, table: ImportTable, wishes: ImportWishes): Promise<number> {
  const { io, flags } = context
  const { wanted, all } = wishes
  const [problem] = table.problems
  if (problem !== undefined && wanted.length < clientIds.length) {
    throw new CapstanError('config_invalid', describeProblem(problem), {
      next: `Mend ${problem.file}, then try again.`,
    })
  }
  if (flags.json && all) return await copy(context, [], wishes)
  if (flags.json) await io.out(tableToJson(table))
  else {
    const where =
      wanted.length === clientIds.length ? 'other clients' : wanted.map((id) => clients[id].title).join(', ')
    await io.out(renderImportTable(table, { columns: columnsFor(io), style: styleFor(io) }))
    await io.out(`No servers to import were found in ${where}.\nNext: ${addExample}\n`)
  }
  return exitCodes.ok
}

function chosenRows(table: ImportTable, { all, names, project }: ImportWishes): readonly ImportRow[] {
  // A stranger may have written the project's files; in the user's own file their servers would need no approval.
  if (all) return table.rows.filter((row) => project || row.scope === 'user')
  return [...new Set(names)].map((name) => rowNamed(name, table))
}

function tellOfProject({ io }: CommandContext, { rows }: ImportTable): void {
  const names = rows.filter((row) => row.scope === 'project').map((row) => row.name)
  if (names.length === 0) return
  io.err(
    `Not copied, because this project brought them: ${names.join(', ')}. Copy them with --servers, or --project.\n`,
  )
}

function rowNamed(name: string, table: ImportTable): ImportRow {
  const row = table.rows.find((candidate) => candidate.name === name)
  if (row === undefined) throw unknownServer(name, table)
  return row
}

function unknownServer(name: string, table: ImportTable): CapstanError {
  const known = table.rows.map((row) => row.name)
  const close = nearest(name, known)
  const hint = close.length === 0 ? `Found: ${known.join(', ') || 'none'}.` : `Closest: ${close.join(', ')}.`
  return new CapstanError('server_unknown', `No client has a server "${name}". ${hint}`, {
    next: 'Run: capstan import',
  })
}

async function askAndCopy(context: CommandContext, table: ImportTable, wishes: ImportWishes): Promise<number> {
  const chosen = await askWhich(context, table, wishes)
  if (chosen === undefined) {
    context.io.err(`Nothing was copied. Later: ${nextCommand(table, wishes)}\n`)
    return exitCodes.ok
  }
  const rows = chosenRows(table, chosen)
  const secrets = rows.flatMap((row) => row.notes).filter((note) => note.kind === 'secret').length
  const moveSecrets = chosen.moveSecrets || (secrets > 0 && (await wantsToMove(context, secrets)))
  return await copy(context, rows, { ...chosen, moveSecrets })
}

const mostQuestions = 3

/** What the person wants to copy; undefined for nothing. A mistyped name is asked about again, a few times. */
async function askWhich(
  { io, signal }: CommandContext,
  table: ImportTable,
  wishes: ImportWishes,
): Promise<ImportWishes | undefined> {
  const question = '\nCopy which servers: all, none, or names with commas?'
  for (let asked = 1; ; asked++) {
    const answer = await ask(io, question, { default: 'none', signal })
    if (/^(?:none|n|no)$/i.test(answer)) return undefined
    if (/^all$/i.test(answer)) return { ...wishes, all: true, names: [] }
    const names = answer.split(/[\s,]+/).filter((name) => name !== '')
    const unknown = names.find((name) => !table.rows.some((row) => row.name === name))
    if (unknown === undefined && names.length > 0) return { ...wishes, all: false, names }
    const failure = unknownServer(unknown ?? answer, table)
    if (asked === mostQuestions) throw failure
    io.err(`${failure.message}\n`)
  }
}

async function wantsToMove({ io, signal }: CommandContext, secrets: number): Promise<boolean> {
  const question = `Move ${count(secrets, 'secret')} out of the entries into ${secretsFileOf(io.env)}?`
  return (await ask(io, question, { choices: ['yes', 'no'], default: 'no', signal })) === 'yes'
}

async function copy(context: CommandContext, rows: readonly ImportRow[], wishes: ImportWishes): Promise<number> {
  const { io, flags, signal } = context
  const files = await serverFiles(context)
  const file = wishes.project ? files.project : files.user
  const secretsFile = secretsFileOf(io.env)
  const options: CopyOptions = {
    file,
    rename: wishes.rename,
    env: io.env,
    signal,
    ...(wishes.moveSecrets ? { secretsFile } : {}),
    ...(wishes.project ? { mode: 0o644 } : {}),
  }
  const report = await copyServers(rows, options)
  if (wishes.project) await trustOwn(report, file, io.env)
  const told = { report, file, secretsFile, isShared: wishes.project }
  await io.out(flags.json ? copyToJson(told) : describeCopy(told))
  const isRefused = wishes.names.length > 0 && report.plan.some(({ kind }) => kind === 'taken')
  return isRefused ? exitCodes.usage : exitCodes.ok
}

/** What a person had in their own clients and copies here is approved by that; what came with the project is not. */
async function trustOwn({ plan, written }: CopyReport, projectFile: string, env: Io['env']): Promise<void> {
  const own = new Set(plan.filter(({ row }) => row.scope === 'user').map(({ name }) => name))
  await recordDecisions(
    join(places(env).state, 'trust.json'),
    written
      .filter(({ name }) => own.has(name))
      .map(({ name, entry }) => ({ projectFile, name, entry, decision: 'trusted' })),
  )
}

function secretsFileOf(env: Io['env']): string {
  return join(places(env).config, 'secrets.env')
}

function nextCommand({ rows }: ImportTable, { wanted }: ImportWishes): string {
  const own = rows.filter((row) => row.scope === 'user')
  const copied = own.length === 0 ? rows : own
  const hasSecrets = copied.some((row) => row.notes.some((note) => note.kind === 'secret'))
  return [
    'capstan import',
    ...(wanted.length === clientIds.length ? [] : wanted),
    '--all',
    ...(own.length === 0 ? ['--project'] : []),
    ...(hasSecrets ? ['--move-secrets'] : []),
  ].join(' ')
}
