import { join } from 'node:path'
import { describeChange } from '../config/describe-change.ts'
import type { Decision, TrustDecision } from '../config/trust.ts'
import type { RawEntry } from '../config/types.ts'
import { ask } from './ask.ts'
import type { Io } from './command.ts'
import { describeEntry, describeFurtherFields } from './describe-entry.ts'
import { describeCode, describeCodeChange } from './describe-tool-file.ts'
import { revealedText } from '../policy/plain-text.ts'

/** A server of a project file, or a tool of its own, that waits for a person's word. */
export interface PendingServer {
  /** Absolute path of the project's `.mcp.json`; of a tool, the folder it stands in. */
  readonly projectFile: string
  /** Of a tool, the name of its file. */
  readonly name: string
  /** What a tool is called; absent for a server. */
  readonly tool?: string
  readonly entry: RawEntry
  /** The entry that was decided on before, when this one differs from it. */
  readonly before?: RawEntry
  /** What it is, where it is neither server nor tool. */
  readonly lines?: readonly string[]
}

/**
 * Asks once per project file which of its servers may be started. Decides nothing where there is no terminal; Ctrl-C leaves
 * everything undecided.
 */
export async function askForTrust(
  io: Io,
  pending: readonly PendingServer[],
  options: { readonly signal?: AbortSignal } = {},
): Promise<readonly TrustDecision[]> {
  if (!io.stdinIsTerminal || !io.stderrIsTerminal) return []
  const decisions: TrustDecision[] = []
  for (const [projectFile, servers] of Map.groupBy(pending, (server) => server.projectFile)) {
    decisions.push(...(await askAboutFile(io, { projectFile, servers, ...options })))
  }
  return decisions
}

/** The lines that say what a waiting server would do: all of it when it is new, only the difference when it changed. */
export function describePending(pending: PendingServer): readonly string[] {
  const { name, entry, before, tool, lines } = pending
  if (lines !== undefined) return lines
  if (tool !== undefined) return describeTool(tool, pending)
  if (before === undefined)
    return [
      `${revealedText(name)}: ${describeEntry(entry)}`,
      ...describeFurtherFields(entry).map((line) => `  ${line}`),
    ]
  return [
    `${revealedText(name)} has changed:`,
    ...describeChange(before, entry).map((line) => `  ${revealedText(line)}`),
  ]
}

function describeTool(tool: string, { projectFile, name, entry, before }: PendingServer): readonly string[] {
  const file = join(projectFile, name)
  const code = codeOf(entry)
  const lines = before === undefined ? describeCode(code, file) : describeCodeChange(codeOf(before), code, file)
  const heading = `${revealedText(tool)}${before === undefined ? ` (${revealedText(name)}):` : ' has changed:'}`
  return [heading, ...lines.map((line) => `  ${line}`)]
}

function codeOf({ code }: RawEntry): string {
  return typeof code === 'string' ? code : ''
}

interface FileQuestion {
  readonly projectFile: string
  readonly servers: readonly PendingServer[]
  readonly signal?: AbortSignal
}

async function askAboutFile(
  io: Io,
  { projectFile, servers, ...options }: FileQuestion,
): Promise<readonly TrustDecision[]> {
  const listed = servers.flatMap(describePending).map((line) => `  ${line}\n`)
  io.err(`\n${revealedText(projectFile)} ${wishOf(servers)}:\n${listed.join('')}\n`)
  const answer = await ask(io, 'Trust them?', { choices: ['all', 'choose', 'none'], ...options })
  if (answer !== 'choose') return servers.map((server) => decided(server, answer === 'all' ? 'trusted' : 'refused'))
  const decisions: TrustDecision[] = []
  for (const server of servers) {
    const word = await ask(io, `Trust ${revealedText(server.tool ?? server.name)}?`, {
      choices: ['yes', 'no'],
      ...options,
    })
    decisions.push(decided(server, word === 'yes' ? 'trusted' : 'refused'))
  }
  return decisions
}

function wishOf(pending: readonly PendingServer[]): string {
  if (pending.some(({ tool }) => tool !== undefined)) {
    return 'holds tools. Their code would run in a sandbox and could call your servers'
  }
  return pending.some(({ lines }) => lines !== undefined)
    ? 'holds prompts. They would stand beside yours, and before those of the same name'
    : 'wants to start servers on this machine'
}

function decided({ projectFile, name, entry }: PendingServer, decision: Decision): TrustDecision {
  return { projectFile, name, entry, decision }
}
