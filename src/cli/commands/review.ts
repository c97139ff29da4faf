import { join } from 'node:path'
import { readClientLayers } from '../../config/client-layers.ts'
import { readServerFile } from '../../config/edit.ts'
import { describeChange } from '../../config/describe-change.ts'
import { findOwnTools } from '../../config/own-tools.ts'
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
import type { OwnTool } from '../../config/types.ts'
import { CapstanError } from '../../errors.ts'
import { homeFolder } from '../../files/places.ts'
import { closest } from '../../hub/catalogue/names.ts'
import { maskEntry } from '../../policy/secrets.ts'
import { answerOption } from '../answering-asks.ts'
import { pendingTool } from '../ask-and-record.ts'
import type { Command, CommandContext, CommandInput, Io } from '../command.ts'
import { exitCodes } from '../exit-codes.ts'
import { revealedText } from '../../policy/plain-text.ts'
import { answerByName, answerWithPerson, askJson, asksText, openInbox, type Inbox } from '../review-asks.ts'
import { approvePins, changedPins, pinJson, pinsText } from '../review-pins.ts'
import { reviewedPrompts } from '../review-prompts.ts'
import {
  decideByName,
  decideOnAll,
  decideWithPerson,
  proposalJson,
  proposalsText,
  waitingProposals,
} from '../review-proposals.ts'
import { askForTrust, describePending, type PendingServer } from '../trust-question.ts'
import { isObject } from '../../json.ts'

export const command: Command = {
  options: {
    all: { type: 'boolean' },
    decline: { type: 'boolean' },
    'prompts-dir': { type: 'string' },
    ...answerOption,
  },
  help: `Show what waits for you, and decide it: servers of the project's .mcp.json (and of its .pi/mcp.json, for pi), tools
in its .capstan/tools and prompts in its .capstan/prompts that want your approval, changes of your own prompts that agents
propose, and questions of servers that the command which caused them cannot show, because it runs in a pipe.

Until they are approved, servers are not started, tools do not run and prompts are left out. An approval is of the whole
entry as it stands in the file, or of a tool's code. When it changes, it waits again, with the difference.

  NAME…          approve these, also one that you refused before: server, my.tool, or prompts
  --all          approve all that wait
  pin:NAME…      approve a tool that is not what it was when it was first used through the gateway
  prompts:NAME…  let the proposed change of this prompt happen, or with --decline forget it
  --prompts-dir  the folder of your prompts, if it is not the usual one
  ask:N          answer this question, with --answer or --decline; the only one when absent
  --answer K=V   the value of a field of its form (repeatable)
  --decline      say no to it
  --json         what waits and what was decided, as one JSON value

On a terminal you are asked. Exit code 0 when nothing waits any more, 5 when something does.

Examples
  capstan review
  capstan review github
  capstan review prompts:deploy_notes --decline
  capstan review ask:1 --answer colour=red`,
  ownText: { stdout: true },
  run,
}

interface ReviewedServer extends PendingServer {
  readonly standing: TrustStanding
}

async function run(context: CommandContext, input: CommandInput): Promise<number> {
  const { io, flags, signal } = context
  await using inbox = await openInbox(context)
  const pinned = await approvePins(context, input)
  const nothing = { approved: [], answered: [], decided: [], pinned, inbox, input }
  if (pinned.length > 0 && input.positionals.every((name) => name.startsWith('pin:')) && input.values['all'] !== true)
    return await report(context, nothing)
  const decided = await decideByName(context, input)
  if (decided !== undefined) return await report(context, { ...nothing, decided })
  const answered = await answerByName(inbox, input)
  if (answered !== undefined) return await report(context, { ...nothing, answered })
  const servers = await reviewedItems(context)
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
  const isAsking = approved === undefined && flags.mayAsk
  return await report(context, {
    ...nothing,
    approved: approved ?? [],
    decided: isAsking ? await decideWithPerson(context, input) : await decideOnAll(context, input),
    answered: isAsking ? await answerWithPerson(context, inbox) : [],
  })
}

interface Decided {
  readonly approved: readonly ReviewedServer[]
  /** The questions that were answered. */
  readonly answered: readonly string[]
  /** The prompts whose proposed change was allowed or declined. */
  readonly decided: readonly string[]
  /** The changed tools that were approved. */
  readonly pinned: readonly string[]
  readonly inbox: Inbox
  readonly input: CommandInput
}

/** What waits now. */
async function report(
  context: CommandContext,
  { approved, answered, decided, pinned, inbox, input }: Decided,
): Promise<number> {
  const { io, flags } = context
  const [servers, asks, proposals, pins] = await Promise.all([
    reviewedItems(context),
    inbox.waiting(),
    waitingProposals(context, input),
    changedPins(context),
  ])
  const isElsewhere =
    asks.length + answered.length + proposals.length + decided.length + pins.length + pinned.length > 0
  const ofServers = servers.length === 0 && isElsewhere ? '' : toText(servers, approved)
  const ofPrompts = { proposals: proposals.map(proposalJson), decided }
  await io.out(
    flags.json
      ? `${JSON.stringify({ ...toJson(servers), ...ofPrompts, pins: pins.map(pinJson), asks: asks.map(askJson), answered })}\n`
      : `${ofServers}${proposalsText(proposals, decided)}${pinsText(pins, pinned)}${asksText(asks, answered)}`,
  )
  return servers.some(isWaiting) || asks.length + proposals.length + pins.length > 0
    ? exitCodes.notAllowed
    : exitCodes.ok
}

/** A disabled server is not started, so it can wait until it is wanted: enabling it is a change that asks. */
function isWaiting({ standing, entry }: ReviewedServer): boolean {
  return (standing === 'new' || standing === 'changed') && entry['disabled'] !== true
}

/** The project's servers, and the tools of its own. */
async function reviewedItems({ io }: CommandContext): Promise<readonly ReviewedServer[]> {
  const { file: projectFile, root } = await findProject(io.cwd, homeFolder(io.env))
  const store = await readTrust(trustFile(io.env))
  for (const warning of store.warnings) io.err(`Warning: ${warning}\n`)
  const [entries, ofHosts, tools] = await Promise.all([
    projectFile === undefined ? [] : readServerFile(projectFile),
    serversOfHosts(io, root),
    findOwnTools({ env: io.env, workspaceFolder: root }, (...asked) => standingOf(store, ...asked)),
  ])
  return [
    ...[...entries].map(([name, entry]) => reviewed(store, { projectFile: projectFile ?? '', name, entry })),
    ...ofHosts.map((server) => reviewed(store, server)),
    ...tools.flatMap((tool) => reviewedTool(store, tool)),
    ...(await reviewedPrompts(io)),
  ]
}

/** What the project has for programs in which Capstan runs as an extension: there these servers are ours to start. */
async function serversOfHosts({ env, cwd }: Io, root: string): Promise<readonly PendingServer[]> {
  const places = { env, home: homeFolder(env), platform: process.platform, folders: [root, cwd] }
  const layers = await readClientLayers(['pi'], places)
  return layers
    .filter(({ layer }) => layer === 'project')
    .flatMap(({ path, content: { entries } }) =>
      [...entries].flatMap(([name, entry]) => (isObject(entry) ? [{ projectFile: path, name, entry }] : [])),
    )
}

/** The person's own tools need no approval, and a file that cannot be a tool has nothing to approve. */
function reviewedTool(store: TrustStore, tool: OwnTool): readonly ReviewedServer[] {
  if (tool.layer === 'user' || tool.standing.kind === 'invalid') return []
  const standing = tool.standing.kind === 'usable' ? 'trusted' : tool.standing.change
  return [{ ...pendingTool(store, tool), standing }]
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
  return positionals.map((name) => servers.find((server) => shownName(server) === name) ?? unknownServer(name, servers))
}

function unknownServer(name: string, servers: readonly ReviewedServer[]): never {
  const hint = closest(name, servers.map(shownName))
  throw new CapstanError('server_unknown', `The project has no server or tool of its own called "${name}".${hint}`, {
    server: name,
    next: 'Run: capstan review',
  })
}

function shownName({ name, tool }: ReviewedServer): string {
  return tool ?? name
}

function toText(servers: readonly ReviewedServer[], approved: readonly ReviewedServer[]): string {
  if (servers.length === 0) return 'Nothing waits: there are no project servers here.\n'
  const files = Map.groupBy(servers, ({ projectFile }) => projectFile)
  const refused = servers.filter(({ standing }) => standing === 'refused')
  const approvals = approved.length === 0 ? '' : `Approved: ${namesOf(approved)}.\n`
  const listed = [...files].map(([file, ofFile]) => fileText(file, ofFile.filter(isWaiting)))
  const refusals = refused.length === 0 ? '' : `Refused: ${namesOf(refused)}. To approve one: capstan review NAME\n`
  const next = servers.some(isWaiting) ? 'Next: capstan review --all, or capstan review NAME…\n' : ''
  return `${approvals}${listed.join('')}${refusals}${next}`
}

function fileText(file: string, waiting: readonly ReviewedServer[]): string {
  if (waiting.length === 0) return `Nothing waits in ${revealedText(file)}.\n`
  const lines = waiting.flatMap(describePending).map((line) => `  ${line}\n`)
  return `These wait for your approval in ${revealedText(file)}:\n${lines.join('')}`
}

function namesOf(servers: readonly ReviewedServer[]): string {
  return servers.map((server) => revealedText(shownName(server))).join(', ')
}

function toJson(servers: readonly ReviewedServer[]) {
  const ownTools = servers.filter(({ tool }) => tool !== undefined)
  const prompts = servers.filter(({ lines }) => lines !== undefined)
  const others = servers.filter(({ tool, lines }) => tool === undefined && lines === undefined)
  const rows = others.map(({ projectFile, name, entry, standing, before }) => ({
    name,
    file: projectFile,
    standing,
    entry: maskEntry(entry),
    ...(before === undefined ? {} : { change: describeChange(before, entry) }),
  }))
  const tools = ownTools.map((tool) => ({
    name: shownName(tool),
    file: join(tool.projectFile, tool.name),
    standing: tool.standing,
    ...(isWaiting(tool) ? { lines: describePending(tool) } : {}),
  }))
  const files = prompts.map(({ projectFile, standing }) => ({ file: projectFile, standing }))
  return { servers: rows, tools, ...(files.length === 0 ? {} : { prompts: files }) }
}
