import { CapstanError } from '../errors.ts'
import type { LastArchived } from './layer.ts'
import { isLabel, writeLogLine, type LabelRecord, type LogRecord, type PutRecord } from './log-line.ts'
import { currentOf, nextRevision, type LogEntry, type LogState } from './log-state.ts'
import { isPromptName } from './prompt-name.ts'
import type { Prompt, PromptDraft } from './prompt.ts'
import { readPrompt } from './read-prompt.ts'

/** What the library refuses to grow beyond. */
export interface StoreLimits {
  readonly maxPromptBytes: number
  readonly maxPrompts: number
}

export interface ChangeContext {
  readonly state: LogState
  readonly lastArchived: LastArchived
  readonly limits: StoreLimits
  /** Now, as ISO 8601. */
  readonly at: string
  readonly by?: string | undefined
  readonly expectedRevision?: number | undefined
}

/** The records that make these drafts current; none for a draft that says what is there already. */
export function putRecords(drafts: readonly PromptDraft[], context: ChangeContext): readonly PutRecord[] {
  const last = new Map(drafts.map((draft) => [draft.name, draft]))
  const records = [...last.values()].flatMap((draft) => putRecord(draft, context))
  const added = records.filter(({ prompt }) => currentOf(context.state.entries.get(prompt.name)) === undefined)
  const count = context.state.live + added.length
  if (added.length > 0 && count > context.limits.maxPrompts) throw tooMany(count, context.limits)
  return records
}

export function removeRecords(name: string, context: ChangeContext): readonly LogRecord[] {
  const entry = existing(name, context)
  checkRevision(name, entry, context)
  return [{ op: 'delete', name, rev: nextRevision(entry), ...provenance(context) }]
}

export function renameRecords(name: string, to: string, context: ChangeContext): readonly LogRecord[] {
  const entry = existing(name, context)
  checkRevision(name, entry, context)
  const { prompt } = currentOf(entry) ?? {}
  if (prompt === undefined || to === name) return []
  if (!isPromptName(to)) readPrompt({ ...prompt, name: to })
  const target = context.state.entries.get(to)
  if (currentOf(target) !== undefined) throw taken(to)
  // The revisions of a renamed prompt follow those that the new name has had before.
  const rev = Math.max(target?.lastRevision ?? 0, context.lastArchived(to)) + nextRevision(entry)
  const renamed = { ...prompt, name: to, updated: context.at }
  return [{ op: 'put', rev, ...provenance(context), from: name, prompt: renamed }]
}

export function labelRecords(
  { name, label, revision }: { readonly name: string; readonly label: string; readonly revision: number | null },
  context: ChangeContext,
): readonly LogRecord[] {
  if (!isLabel(label)) throw badLabel(label)
  const entry = existing(name, context)
  checkRevision(name, entry, context)
  const now = entry.labels.get(label)?.revision ?? null
  if (now === revision) return []
  const record: LabelRecord = { op: 'label', name, label, rev: revision, ...provenance(context) }
  return [record]
}

function putRecord(draft: PromptDraft, context: ChangeContext): readonly PutRecord[] {
  const entry = context.state.entries.get(draft.name)
  const current = currentOf(entry)?.prompt
  const created = draft.created ?? current?.created ?? context.at
  const prompt = readPrompt({ ...draft, created, updated: context.at })
  checkRevision(prompt.name, entry, context)
  if (current !== undefined && contentOf(current) === contentOf(prompt)) return []
  const rev = Math.max(entry?.lastRevision ?? 0, context.lastArchived(prompt.name)) + 1
  const record: PutRecord = { op: 'put', rev, ...provenance(context), prompt }
  checkSize(record, context.limits)
  return [record]
}

/** Everything but the dates; the fields of a checked prompt are always in the same order. */
function contentOf(prompt: Prompt): string {
  return JSON.stringify({ ...prompt, created: undefined, updated: undefined })
}

function checkRevision(name: string, entry: LogEntry | undefined, { expectedRevision }: ChangeContext): void {
  if (expectedRevision === undefined) return
  const current = currentOf(entry)?.revision ?? 0
  if (current === expectedRevision) return
  if (expectedRevision === 0) throw taken(name)
  const now = current === 0 ? 'it has been removed' : `it is at revision ${current}`
  throw new CapstanError(
    'prompt_conflict',
    `Prompt "${name}" was changed from revision ${expectedRevision}, but ${now} now.`,
    {
      next: 'Look at what it says now, then make your change again.',
    },
  )
}

function existing(name: string, { state }: ChangeContext): LogEntry {
  const entry = state.entries.get(name)
  if (entry === undefined || currentOf(entry) === undefined) {
    throw new CapstanError('prompt_unknown', `There is no prompt "${name}" in this layer.`)
  }
  return entry
}

function checkSize(record: PutRecord, { maxPromptBytes }: StoreLimits): void {
  const bytes = Buffer.byteLength(writeLogLine(record))
  if (bytes <= maxPromptBytes) return
  throw new CapstanError(
    'prompt_invalid',
    `Prompt "${record.prompt.name}" takes ${bytes} bytes; the limit is ${maxPromptBytes}.`,
    { next: 'Shorten it, or raise max_prompt_bytes under [prompts] in config.toml.' },
  )
}

function tooMany(count: number, { maxPrompts }: StoreLimits): CapstanError {
  return new CapstanError('prompt_invalid', `That would make ${count} prompts; the limit is ${maxPrompts}.`, {
    next: 'Remove some, or raise max_prompts under [prompts] in config.toml.',
  })
}

function taken(name: string): CapstanError {
  return new CapstanError('prompt_conflict', `There is a prompt "${name}" already.`, {
    next: 'Choose another name, or change the one that is there.',
  })
}

function badLabel(label: string): CapstanError {
  return new CapstanError(
    'prompt_invalid',
    `"${label.slice(0, 80)}" cannot be a label: labels begin with a letter and have up to 64 of a-z, 0-9, _, . and -.`,
    { next: 'Choose such a label, for instance production.' },
  )
}

function provenance({ at, by }: ChangeContext): { readonly at: string; readonly by?: string } {
  return { at, ...(by === undefined ? {} : { by }) }
}
