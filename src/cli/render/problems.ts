import type { ErrorJson } from '../../errors.ts'
import { exitCodeOf, exitCodes } from '../exit-codes.ts'
import { plainLine } from '../../policy/plain-text.ts'
import { hasAnswered, problemOf, problemsOf, type ServerGroup } from './server-group.ts'
import type { Style } from './style.ts'
import { wrap } from './width.ts'

/** The servers whose lists are missing, old or not whole, each with its reason: what goes to stderr beside a list. */
export function renderProblems(
  groups: readonly ServerGroup[],
  options: ProblemLook & { readonly debug: boolean },
): string {
  return groups.flatMap((group) => problemsOf(group).map((problem) => problemLines(group, problem, options))).join('')
}

interface ProblemLook {
  readonly style: Style
  readonly columns: number
}

function problemLines(
  { status: { name, state } }: ServerGroup,
  problem: ErrorJson,
  { debug, ...look }: ProblemLook & { readonly debug: boolean },
): string {
  const tail = debug && 'stderrTail' in state ? state.stderrTail : []
  return [problemLine(name, problem, look), ...tail.map((line) => `  ${look.style.faint(plainLine(line))}\n`)].join('')
}

/** A server with its problem and what to do about it, for stderr. */
export function problemLine(server: string, problem: ErrorJson, { style, columns }: ProblemLook): string {
  const name = plainLine(server)
  const next = problem.next === undefined ? '' : ` ${plainLine(problem.next)}`
  const text = `${name}: ${plainLine(problem.message).replace(/[^.!?]$/, '$&.')}${next}`
  return `${style.bad(name)}${wrap(text, columns, 'keep').join('\n').slice(name.length)}\n`
}

/** The error that stands for all when no server answered; undefined when one did, or none was wanted. */
export function totalFailure(groups: readonly ServerGroup[]): { error: ErrorJson; exitCode: number } | undefined {
  const problems = groups.map(problemOf).filter((problem) => problem !== undefined)
  const [first] = problems
  if (first === undefined || groups.some((group) => hasAnswered(group) && group.status.isBuiltin !== true))
    return undefined
  if (problems.length === 1) return { error: first, exitCode: failureCode(problems) }
  const names = problems.map((problem) => problem.server).filter((name) => name !== undefined)
  const message = `No server answered: ${names.join(', ')}.`
  return { error: { code: first.code, message, next: 'Run: capstan doctor' }, exitCode: failureCode(problems) }
}

/** All waiting for trust, or all written wrongly, is not the same to a script as servers that are down. */
function failureCode(problems: readonly ErrorJson[]): number {
  const codes = new Set(problems.map((problem) => exitCodeOf(problem.code)))
  const [only] = codes
  const isOwnKind = codes.size === 1 && (only === exitCodes.notAllowed || only === exitCodes.usage)
  return isOwnKind ? only : exitCodes.unavailable
}
