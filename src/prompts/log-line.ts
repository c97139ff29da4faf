import { CapstanError } from '../errors.ts'
import { fieldsOf } from './fields.ts'
import { isPromptName } from './prompt-name.ts'
import type { Prompt } from './prompt.ts'
import { readPrompt } from './read-prompt.ts'
import { isObject } from '../json.ts'

/** What one line of a log says. */
export type LogRecord = PutRecord | DeleteRecord | LabelRecord

interface Provenance {
  readonly at?: string
  readonly by?: string
}

export interface PutRecord extends Provenance {
  readonly op: 'put'
  /** Absent in a plain prompt line, as people write them. */
  readonly rev?: number
  /** The name it had until now: the prompt is renamed. */
  readonly from?: string
  /** Whether the archive has this line already. */
  readonly archived?: boolean
  readonly prompt: Prompt
}

export interface DeleteRecord extends Provenance {
  readonly op: 'delete'
  readonly name: string
  readonly rev?: number
  /** The name it has now, where it was not removed but renamed. */
  readonly to?: string
}

export interface LabelRecord extends Provenance {
  readonly op: 'label'
  readonly name: string
  readonly label: string
  /** The revision it points to from now on; `null` takes the label away. */
  readonly rev: number | null
}

/** Throws a `CapstanError` whose message says what is wrong with the line. */
export function readLogLine(line: string): LogRecord {
  const value = parseLine(line)
  if (!isObject(value) || value['op'] === undefined) {
    const prompt = readPrompt(value)
    return { op: 'put', ...(prompt.updated === undefined ? {} : { at: prompt.updated }), prompt }
  }
  const fields = fieldsOf(value, { owner: 'The record', path: '' })
  const op = fields.choice('op', ['put', 'delete', 'label'])
  const provenance = { ...fields.optionalText('at'), ...fields.optionalText('by') }
  const rev = revisionOf(value['rev'])
  if (op === 'put') {
    const from = fields.has('from') ? { from: nameOf(fields.text('from')) } : {}
    const archived = fields.flag('archived', false) ? { archived: true } : {}
    return { op, ...rev, ...provenance, ...from, ...archived, prompt: readPrompt(value['prompt']) }
  }
  const name = nameOf(fields.text('name'))
  if (op === 'delete') return { op, name, ...rev, ...provenance, ...fields.optionalText('to') }
  return { op, name, label: labelOf(fields.text('label')), rev: rev.rev ?? null, ...provenance }
}

export function writeLogLine(record: LogRecord): string {
  const { op, rev, at, by, ...rest } = record
  // The order people read in: what happened, to which revision, when, by whom.
  return JSON.stringify({ op, rev, at, by, ...rest })
}

/** The same line with its revision said, and everything else as it stands, also what only a later version understands. */
export function withRevision(line: string, rev: number): string {
  const value = parseLine(line)
  if (!isObject(value)) return line
  if (value['op'] === undefined) return JSON.stringify({ op: 'put', rev, at: value['updated'], prompt: value })
  if (value['rev'] === rev) return line
  const { op, ...rest } = value
  return JSON.stringify({ op, ...rest, rev })
}

export function isLabel(text: string): boolean {
  return /^[a-z][a-z0-9_.-]{0,63}$/.test(text)
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch (error) {
    throw new CapstanError('prompt_invalid', 'The line is not JSON.', { cause: error })
  }
}

function revisionOf(value: unknown): { readonly rev?: number } {
  if (value === undefined || value === null) return {}
  if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return { rev: value }
  throw new CapstanError('prompt_invalid', 'The record: rev must be a whole number above 0.')
}

function nameOf(text: string): string {
  if (isPromptName(text)) return text
  throw new CapstanError(
    'prompt_invalid',
    `The record: ${JSON.stringify(text.slice(0, 80))} is not the name of a prompt.`,
  )
}

function labelOf(text: string): string {
  if (isLabel(text)) return text
  throw new CapstanError('prompt_invalid', `The record: ${JSON.stringify(text.slice(0, 80))} is not a label.`)
}
