import { randomUUID } from 'node:crypto'
import { rename, stat } from 'node:fs/promises'
import { lineWriter } from '../files/line-writer.ts'
import { looksSecret, maskSecret } from '../policy/secrets.ts'
import type { JsonObject, JsonValue, ToolRef, ToolResult } from './api.ts'
import { jsonBytes } from './json-bytes.ts'

/** One call, as it is kept: what was asked and what came, with secrets masked and long texts cut. */
export interface CallRecord {
  readonly id: string
  /** ISO 8601. */
  readonly at: string
  /** Who asked: the name of the client. */
  readonly caller: string
  readonly tool: string
  readonly ms: number
  /** Size of the result. */
  readonly bytes: number
  /** `ok`, `tool_error`, or the code of a failure. */
  readonly outcome: string
  readonly args: JsonValue
  readonly result?: JsonValue
  readonly error?: string
}

export interface FinishedCall {
  readonly tool: ToolRef
  readonly ms: number
  readonly outcome: string
  readonly args: JsonObject
  readonly result?: ToolResult
  readonly error?: string
}

/** Keeps a line for every call through any door. Bounded: when the file is full it becomes the old one, and the older one goes. */
export interface CallLog {
  readonly record: (call: FinishedCall) => void
  /** Resolves when all lines are on disk. */
  readonly settled: () => Promise<void>
}

const maxFileBytes = 5 * 2 ** 20
const maxTextChars = 4000

/** Of how many calls in a row the result is kept too, and of how many a second when they go on and on. */
const results = { inRow: 100, perSecond: 10 }

export function callLog(file: string, caller: string, now: () => number = () => performance.now()): CallLog {
  const mayKeep = allowance(results, now)
  // A log that cannot be written must not cost anybody a call.
  const lines = lineWriter({ file, makeRoom: (bytes) => makeRoom(file, bytes), onFailure: () => {} })
  return {
    record: (call) => {
      // A thousand calls a second would push out within moments what people come to look for; and failures are what they look for.
      const keepsResult = call.outcome !== 'ok' || mayKeep()
      lines.write(JSON.stringify(toRecord(call, { caller, keepsResult })))
    },
    settled: lines.settled,
  }
}

/** Says whether there may be one more: so many at once, and so many a second on the long run. */
function allowance({ inRow, perSecond }: typeof results, now: () => number): () => boolean {
  let left = inRow
  let countedAtMs = now()
  return () => {
    const atMs = now()
    left = Math.min(inRow, left + ((atMs - countedAtMs) / 1000) * perSecond)
    countedAtMs = atMs
    if (left < 1) return false
    left -= 1
    return true
  }
}

interface Keeping {
  readonly caller: string
  readonly keepsResult: boolean
}

function toRecord(
  { tool, ms, outcome, args, result, error }: FinishedCall,
  { caller, keepsResult }: Keeping,
): CallRecord {
  const bytes = result === undefined ? 0 : jsonBytes(result)
  return {
    id: randomUUID().slice(0, 8),
    at: new Date().toISOString(),
    caller,
    tool: `${tool.server}.${tool.tool}`,
    ms: Math.round(ms * 10) / 10,
    bytes,
    outcome,
    args: masked(args),
    ...(result === undefined ? {} : { result: keepsResult ? keptOf(result, bytes) : tooMany(bytes) }),
    ...(error === undefined ? {} : { error: looksSecret('', error) ? maskSecret(error) : error }),
  }
}

function tooMany(bytes: number): string {
  return `(not kept, because many calls came at once; ${bytes} bytes)`
}

function keptOf(result: ToolResult, bytes: number): JsonValue {
  return bytes > 20 * maxTextChars ? startOf(result, bytes) : masked(result as JsonObject)
}

/** Its long texts are cut before it is written: all of it would be copied for its first few lines. */
function startOf(result: ToolResult, bytes: number): string {
  const text = JSON.stringify(result, (_key, value: unknown) => (typeof value === 'string' ? shortened(value) : value))
  const start = text.slice(0, maxTextChars)
  return `${looksSecret('', start) ? maskSecret(start) : start}… (${bytes} bytes in all)`
}

/** What of a text is kept, and as much more as a secret that begins in it may need to be known as one. */
function beginning(text: string): string {
  return text.slice(0, maxTextChars + 512)
}

/** The same value with secrets masked and long texts cut. */
export function masked(value: JsonValue, name = ''): JsonValue {
  if (typeof value === 'string') return looksSecret(name, beginning(value)) ? maskSecret(value) : shortened(value)
  if (Array.isArray(value)) return value.map((item: JsonValue) => masked(item, name))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, masked(item, key)]))
}

function shortened(text: string): string {
  return text.length <= maxTextChars ? text : `${text.slice(0, maxTextChars)}… (${text.length} characters in all)`
}

async function makeRoom(file: string, bytes: number): Promise<void> {
  const size = await stat(file).then(
    (stats) => stats.size,
    () => 0,
  )
  if (size > 0 && size + bytes > maxFileBytes) await rename(file, `${file}.old`)
}
