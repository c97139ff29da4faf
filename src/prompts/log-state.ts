import { messageOf } from '../errors.ts'
import { readLogLine, type DeleteRecord, type LabelRecord, type LogRecord, type PutRecord } from './log-line.ts'
import type { Prompt } from './prompt.ts'

/** What the lines of a log add up to. It only grows: reading on mutates it. */
export interface LogState {
  readonly entries: Map<string, LogEntry>
  /** How many lines were taken in: tells whether it has grown. */
  lines: number
  /** How many prompts are there now. */
  live: number
  /** How many lines say something that a later line has replaced. */
  replacedLines: number
  readonly problems: { readonly line: number; readonly reason: string }[]
}

/** All that is known of one name. */
export interface LogEntry {
  /** The oldest first; empty for a name that was given up by renaming. */
  revisions: LogRevision[]
  lastRevision: number
  readonly labels: Map<string, LabelPlace>
  renamedTo?: string
}

interface LabelPlace {
  readonly revision: number
  readonly line: number
}

export interface LogRevision {
  readonly revision: number
  /** The number it was made with; another one where its prompt was renamed to a name that had been used before. */
  readonly madeAs: number
  readonly line: number
  /** Absent when this revision removed it. */
  readonly prompt?: Prompt
  readonly renamedFrom?: string
  readonly isArchived?: boolean
  readonly at?: string
  readonly by?: string
}

export function emptyState(): LogState {
  return { entries: new Map(), lines: 0, live: 0, replacedLines: 0, problems: [] }
}

/** Takes in one line. One that cannot be read becomes a problem and changes nothing else. */
export function addLine(state: LogState, text: string, line: number): void {
  try {
    addRecord(state, readLogLine(text), line)
  } catch (error) {
    state.lines += 1
    state.problems.push({ line, reason: messageOf(error) })
  }
}

export function addRecord(state: LogState, record: LogRecord, line: number): void {
  state.lines += 1
  if (record.op === 'put') addPut(state, record, line)
  else if (record.op === 'delete') addDelete(state, record, line)
  else addLabel(state, record, line)
}

/** The prompt that stands under a name now. */
export function currentOf(entry: LogEntry | undefined): (LogRevision & { readonly prompt: Prompt }) | undefined {
  const last = entry?.revisions.at(-1)
  return last?.prompt === undefined ? undefined : { ...last, prompt: last.prompt }
}

/** The number that the next revision of a name gets. */
export function nextRevision(entry: LogEntry | undefined): number {
  return (entry?.lastRevision ?? 0) + 1
}

function addPut(state: LogState, { rev, from, archived, at, by, prompt }: PutRecord, line: number): void {
  const entry = entryOf(state, prompt.name)
  if (from !== undefined && from !== prompt.name) moveHistory(state, from, prompt.name)
  const revision = numberFor(entry, rev)
  push(state, entry, {
    revision,
    madeAs: revision,
    line,
    prompt,
    ...(from === undefined ? {} : { renamedFrom: from }),
    ...(archived === undefined ? {} : { isArchived: archived }),
    ...(at === undefined ? {} : { at }),
    ...(by === undefined ? {} : { by }),
  })
  delete entry.renamedTo
}

function addDelete(state: LogState, { name, rev, to, at, by }: DeleteRecord, line: number): void {
  const entry = entryOf(state, name)
  if (to !== undefined) {
    // What a rename has left behind: only that these numbers are used up.
    entry.lastRevision = Math.max(entry.lastRevision, rev ?? 0)
    if (entry.revisions.length === 0) entry.renamedTo = to
    return
  }
  const revision = numberFor(entry, rev)
  push(state, entry, {
    revision,
    madeAs: revision,
    line,
    ...(at === undefined ? {} : { at }),
    ...(by === undefined ? {} : { by }),
  })
}

function addLabel(state: LogState, { name, label, rev }: LabelRecord, line: number): void {
  const { labels } = entryOf(state, name)
  if (labels.has(label)) state.replacedLines += 1
  if (rev === null) {
    labels.delete(label)
    state.replacedLines += 1
  } else labels.set(label, { revision: rev, line })
}

function moveHistory(state: LogState, from: string, to: string): void {
  const [old, entry] = [entryOf(state, from), entryOf(state, to)]
  const shift = entry.lastRevision
  if (currentOf(old) !== undefined) state.live -= 1
  for (const revision of old.revisions) entry.revisions.push({ ...revision, revision: revision.revision + shift })
  for (const [label, { revision, line }] of old.labels) entry.labels.set(label, { revision: revision + shift, line })
  entry.lastRevision += old.lastRevision
  old.revisions = []
  old.labels.clear()
  old.renamedTo = to
}

function push(state: LogState, entry: LogEntry, revision: LogRevision): void {
  const isLive = revision.prompt !== undefined
  if (entry.revisions.length > 0) state.replacedLines += 1
  // A prompt that was moved here by renaming has been taken off the count already.
  const wasLive = revision.renamedFrom === undefined && currentOf(entry) !== undefined
  state.live += Number(isLive) - Number(wasLive)
  entry.revisions.push(revision)
  entry.lastRevision = revision.revision
}

/** Two branches of a repository that were merged may both have said revision 4: the second becomes 5. */
function numberFor(entry: LogEntry, said: number | undefined): number {
  return said !== undefined && said > entry.lastRevision ? said : entry.lastRevision + 1
}

function entryOf(state: LogState, name: string): LogEntry {
  const known = state.entries.get(name)
  if (known !== undefined) return known
  const entry: LogEntry = { revisions: [], lastRevision: 0, labels: new Map() }
  state.entries.set(name, entry)
  return entry
}
