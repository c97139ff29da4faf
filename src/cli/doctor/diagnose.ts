import type { ServerConfig } from '../../config/types.ts'
import { errorFamilies, type ErrorJson } from '../../errors.ts'
import type { LeftOutTool } from '../../hub/api.ts'
import { maskEntry } from '../../policy/secrets.ts'
import { shellQuote } from '../render/example.ts'
import { count, formatMs } from '../render/numbers.ts'
import { problemOf, type ServerGroup } from '../render/server-group.ts'
import { installAdvice, isWrapper } from './commands-known.ts'
import { notesOf } from './notes.ts'
import type { Evidence, Fact, Finding, ServerReport } from './report.ts'

/** What is known about a server, what is wrong with it, and how to mend it. */
export function diagnose(evidence: Evidence): ServerReport {
  const leftOut = (evidence.group.status.leftOut ?? []).map(leftOutFinding)
  const findings = [...(leftOut.length > 0 ? leftOut : failureOf(evidence)), ...notesOf(evidence)]
  const isWell = findings.every((finding) => finding.level === 'note')
  return {
    name: evidence.group.status.name,
    facts: factsOf(evidence),
    findings,
    stderrTail: isWell ? [] : stderrTail(evidence),
  }
}

function leftOutFinding({ error, reason }: LeftOutTool): Finding {
  const level = reason === 'refused' ? 'note' : 'problem'
  return { level, what: error.message, mend: error.next ?? 'Correct the file.' }
}

function factsOf(evidence: Evidence): readonly Fact[] {
  const { configured, server, group } = evidence
  const { state } = group.status
  const place = configured?.origin.file ?? (configured === undefined ? undefined : 'the command line')
  const standing = configured?.standing.kind === 'invalid' ? 'invalid' : 'valid'
  return [
    ...(place === undefined ? [] : [{ label: 'entry', value: `${standing}, from ${place}` }]),
    ...(server === undefined ? [] : [startFact(server, evidence)]),
    ...(state.kind === 'ready' ? readyFacts(group, state) : []),
  ]
}

function startFact(server: ServerConfig, { commandFile }: Evidence): Fact {
  if (server.transport === 'remote') return { label: 'url', value: maskedUrl(server.url) }
  if (commandFile === undefined) return { label: 'command', value: `${server.command}, not found` }
  return {
    label: 'command',
    value: commandFile === server.command ? commandFile : `${server.command} is ${commandFile}`,
  }
}

function readyFacts(
  group: ServerGroup,
  state: Extract<ServerGroup['status']['state'], { kind: 'ready' }>,
): readonly Fact[] {
  const { implementation } = state
  const program = implementation === undefined ? '' : ` (${implementation.name} ${implementation.version})`
  const kinds = ['tools', 'prompts', 'resources', 'templates'] as const
  return [
    { label: 'started', value: `in ${formatMs(state.connectMs)}${program}` },
    { label: 'protocol', value: `${state.era}, ${state.protocolVersion}, over ${state.transport}` },
    { label: 'offers', value: kinds.map((kind) => count(group[kind].length, kind.slice(0, -1))).join(', ') },
  ]
}

function failureOf(evidence: Evidence): readonly Finding[] {
  const { status } = evidence.group
  if (status.state.kind === 'disabled') {
    return [{ level: 'note', what: 'It is disabled.', mend: `Run: capstan enable ${status.name}` }]
  }
  if (status.state.kind === 'connecting') {
    return [{ level: 'problem', what: 'It is still starting and has not answered yet.', mend: slowStartMend(evidence) }]
  }
  const problem = problemOf(evidence.group)
  if (problem === undefined && status.state.kind === 'idle' && evidence.group.coverage?.kind === 'listed') {
    return [{ level: 'problem', what: 'It ended by itself after it had answered.', mend: byHandMend(evidence) }]
  }
  return problem === undefined ? [] : [{ level: 'problem', what: problem.message, mend: mendOf(problem, evidence) }]
}

function mendOf(problem: ErrorJson, evidence: Evidence): string {
  const { server, commandFile, configured } = evidence
  if (problem.code === 'not_trusted') return 'Look at it and approve it: capstan review'
  if (errorFamilies[problem.code] === 'configuration') {
    return problem.next ?? `Correct the entry in ${configured?.origin.file ?? 'its file'}.`
  }
  // For a process the hub's own advice is to run doctor, and here we are.
  if (server?.transport === 'stdio') {
    if (commandFile === undefined) return installAdvice(server.command)
    if (problem.code === 'connect_timed_out' || problem.code === 'timed_out') return slowStartMend(evidence)
    return byHandMend(evidence)
  }
  return problem.next ?? 'Check "url" and "headers" of its entry.'
}

function byHandMend({ server }: Evidence): string {
  return server?.transport === 'stdio'
    ? `Run it by hand to see why: ${commandLine(server.command, server.args)}`
    : 'Look at the log of the server.'
}

function slowStartMend({ server }: Evidence): string {
  const raise = 'give it more time with "startTimeout" (seconds) in its entry'
  if (server?.transport !== 'stdio') return `Check that it runs, or ${raise}.`
  const byHand = commandLine(server.command, server.args)
  return isWrapper(server.command)
    ? `${server.command} may be downloading it: run it once by hand (${byHand}), or ${raise}.`
    : `Run it by hand to see what it waits for (${byHand}), or ${raise}.`
}

const tailLines = 8

function stderrTail({ group, logs }: Evidence): readonly string[] {
  const { state } = group.status
  if ('stderrTail' in state && state.stderrTail.length > 0) return state.stderrTail.slice(-tailLines)
  return logs
    .filter((line) => line.source === 'stderr')
    .slice(-tailLines)
    .map((line) => line.text)
}

/** The command as a person would type it. Reports get pasted into bug reports, so secrets are masked. */
function commandLine(command: string, args: readonly string[]): string {
  const masked = maskEntry({ command, args })['args']
  const words = Array.isArray(masked) ? masked.map(String) : []
  return [command, ...words].map((word) => (isVariable(word) ? `"${word}"` : shellQuote(word))).join(' ')
}

/** A `${NAME}` that a shell fills in as we do. */
function isVariable(word: string): boolean {
  return /^[\w./:=-]*\$\{\w+\}[\w./:=-]*$/.test(word)
}

function maskedUrl(url: string): string {
  const masked = maskEntry({ url })['url']
  return typeof masked === 'string' ? (masked.split('?')[0] ?? '') : ''
}
