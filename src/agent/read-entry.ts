import { CapstanError } from '../errors.ts'
import { recordVersion, type ConversationEntry } from './record.ts'

/**
 * One line of a conversation's file. Undefined for a line that a crash cut off, or of a kind that a later version has added:
 * such lines are passed over, and the rest holds.
 */
export function readEntry(line: string): ConversationEntry | undefined {
  const value: unknown = parse(line)
  if (!isRecord(value) || typeof value['atMs'] !== 'number') return undefined
  if (value['kind'] === 'start' && typeof value['version'] === 'number' && value['version'] > recordVersion) {
    throw new CapstanError('storage_failed', 'This conversation was written by a later version of Capstan.', {
      next: 'Update Capstan to go on with it.',
    })
  }
  return isEntry(value) ? value : undefined
}

function isEntry(value: unknown): value is ConversationEntry {
  return isRecord(value) && shapes[String(value['kind'])]?.(value) === true
}

type Fields = Readonly<Record<string, unknown>>

const shapes: Readonly<Record<string, (value: Fields) => boolean>> = {
  start: ({ id, folder, version }) => typeof id === 'string' && typeof folder === 'string' && version === recordVersion,
  user: ({ parts }) => isListOf(parts, isContent),
  reply: ({ parts, end }) => isListOf(parts, isReplyPart) && typeof end === 'string',
  result: ({ callId, name, end, parts, ms }) =>
    [callId, name, end].every((text) => typeof text === 'string') &&
    isListOf(parts, isContent) &&
    typeof ms === 'number',
  summary: ({ text }) => typeof text === 'string',
  title: ({ title }) => typeof title === 'string',
}

function isContent({ kind, text, uri, mimeType, data, file }: Fields): boolean {
  if (kind === 'text') return typeof text === 'string'
  if (kind === 'resource') return typeof text === 'string' && typeof uri === 'string'
  return kind === 'media' && typeof mimeType === 'string' && (typeof data === 'string' || typeof file === 'string')
}

function isReplyPart({ kind, text, callId, name, input }: Fields): boolean {
  if (kind === 'text' || kind === 'thinking') return typeof text === 'string'
  return kind === 'call' && typeof callId === 'string' && typeof name === 'string' && isInput(input)
}

function isInput(input: unknown): boolean {
  if (!isRecord(input)) return false
  return input['kind'] === 'json' ? isRecord(input['value']) : typeof input['text'] === 'string'
}

function isListOf(value: unknown, check: (item: Fields) => boolean): boolean {
  return Array.isArray(value) && value.every((item) => isRecord(item) && check(item))
}

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
