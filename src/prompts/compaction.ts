import type { Rewrite } from '../files/append-log.ts'
import { readLogLine, withRevision, writeLogLine, type LabelRecord } from './log-line.ts'
import type { LogRevision, LogState } from './log-state.ts'

/** Whether a log has grown so far beyond what it says that reading it wastes time. */
export function isWorthCompacting({ live, replacedLines }: LogState): boolean {
  return replacedLines >= 500 && replacedLines > 2 * live
}

/**
 * Keeps in the log what it says now: a line for each prompt, its labels, a line for each name that was given up, and what could
 * not be read, as it stands. Every other line goes to the archive, with its revision written out where people had left that open.
 */
export function planCompaction(state: LogState, lines: readonly Buffer[], archivePath: string): Rewrite | undefined {
  if (state.replacedLines === 0) return undefined
  const current = currentLines(state, lines)
  const revisions = revisionsByLine(state)
  const unreadable = new Set(state.problems.map(({ line }) => line))

  const kept: (string | Buffer)[] = [...givenUpNames(state)]
  const archived: (string | Buffer)[] = []
  for (const [index, bytes] of lines.entries()) {
    const number = index + 1
    const text = bytes.toString('utf8').trim()
    if (text === '') continue
    const now = current.get(number)
    if (unreadable.has(number)) kept.push(bytes)
    else if (now !== undefined) kept.push(...now)
    const revision = revisions.get(number)
    // The line of a rename is archived at once: only in its place among the others does it tell whose history it continued.
    const isDue = now === undefined ? revision?.isArchived !== true : revision?.renamedFrom !== undefined
    if (isDue && !unreadable.has(number)) {
      archived.push(revision === undefined ? text : withRevision(text, revision.madeAs))
    }
  }
  return { lines: kept, archive: { path: archivePath, lines: archived } }
}

/** What stays, by the number of the line that said it. */
function currentLines(state: LogState, lines: readonly Buffer[]): ReadonlyMap<number, readonly string[]> {
  const textAt = (line: number) => lines[line - 1]?.toString('utf8').trim() ?? ''
  const current = new Map<number, readonly string[]>()
  for (const [name, entry] of state.entries) {
    const last = entry.revisions.at(-1)
    if (last !== undefined) current.set(last.line, [currentLine(textAt(last.line), last)])
    if (last?.prompt === undefined) continue
    for (const [label, { revision, line }] of entry.labels) {
      current.set(line, [labelLine(textAt(line), { op: 'label', name, label, rev: revision })])
    }
  }
  return current
}

function currentLine(text: string, { revision, renamedFrom }: LogRevision): string {
  if (revision === 1) return text
  const line = withRevision(text, revision)
  return renamedFrom === undefined ? line : asArchived(line)
}

/** A label that moved with a renamed prompt is said anew. */
function labelLine(text: string, label: LabelRecord): string {
  const said = readLogLine(text)
  const isSame = said.op === 'label' && said.name === label.name && said.rev === label.rev
  return isSame ? text : writeLogLine(label)
}

function asArchived(line: string): string {
  const { from: _from, prompt, ...rest } = JSON.parse(line) as Readonly<Record<string, unknown>>
  return JSON.stringify({ ...rest, archived: true, prompt })
}

function revisionsByLine(state: LogState): ReadonlyMap<number, LogRevision> {
  const revisions = [...state.entries.values()].flatMap((entry) => entry.revisions)
  return new Map(revisions.map((revision) => [revision.line, revision]))
}

function givenUpNames(state: LogState): readonly string[] {
  return [...state.entries].flatMap(([name, { revisions, lastRevision, renamedTo }]) =>
    revisions.length === 0 && renamedTo !== undefined
      ? [writeLogLine({ op: 'delete', name, rev: lastRevision, to: renamedTo })]
      : [],
  )
}
