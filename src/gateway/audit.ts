import { rename, rm, stat } from 'node:fs/promises'
import { lineWriter } from '../files/line-writer.ts'
import { withLock } from '../files/lock.ts'
import type { JsonObject, ToolEntry, ToolResult } from '../hub/api.ts'
import { masked } from '../hub/call-log.ts'
import { jsonBytes } from '../hub/json-bytes.ts'

export interface AuditedCall {
  readonly caller: string
  readonly client: string
  readonly tool: Pick<ToolEntry, 'id' | 'server'>
  readonly args: JsonObject
  readonly via: 'direct' | 'call_tool' | 'exec'
  /** What is odd about the tool's definition. */
  readonly oddities?: readonly string[]
}

/** One line of the audit. */
export interface AuditRecord {
  /** ISO 8601. */
  readonly at: string
  /** The name of the key that was shown, or `local`. */
  readonly caller: string
  /** What the client calls itself; anybody can claim any name. */
  readonly client: string
  readonly server: string
  readonly tool: string
  readonly via: AuditedCall['via']
  /** `ok`, `tool_error`, or the code of a failure. */
  readonly outcome: string
  readonly ms: number
  readonly bytesIn: number
  readonly bytesOut: number
  readonly oddities?: readonly string[]
  readonly args?: unknown
}

/** Who has run what. Written while the work goes on: a slow disk costs nobody a call. */
export interface Audit {
  /** Begins a line; the outcome ends it. */
  readonly begin: (call: AuditedCall) => (outcome: string, result?: ToolResult) => void
  /** Resolves when all lines are on disk. */
  readonly settled: () => Promise<void>
}

export interface AuditOptions {
  readonly file: string
  /** Whether arguments are written too, with secrets masked. */
  readonly withArguments: () => boolean
  readonly onRecord?: (record: AuditRecord) => void
  /** A line that could not be written. */
  readonly onFailure: (error: unknown) => void
  readonly maxFileBytes?: number
  readonly maxFiles?: number
}

export function openAudit(options: AuditOptions): Audit {
  const { file, withArguments, onRecord, onFailure, maxFileBytes = 10 * 2 ** 20, maxFiles = 5 } = options
  const lines = lineWriter({ file, makeRoom, onFailure })
  return {
    begin({ caller, client, tool, args, via, oddities = [] }) {
      const startedAt = performance.now()
      const at = new Date().toISOString()
      return (outcome, result) => {
        const record: AuditRecord = {
          at,
          caller,
          client: client.slice(0, 80),
          server: tool.server,
          tool: tool.id,
          via,
          outcome,
          ms: Math.round((performance.now() - startedAt) * 10) / 10,
          bytesIn: jsonBytes(args),
          bytesOut: result === undefined ? 0 : jsonBytes(result),
          ...(oddities.length === 0 ? {} : { oddities }),
          ...(withArguments() ? { args: masked(args) } : {}),
        }
        onRecord?.(record)
        lines.write(JSON.stringify(record))
      }
    },
    settled: lines.settled,
  }

  /** Several gateways may write one file: whoever comes first makes room. */
  async function makeRoom(bytes: number): Promise<void> {
    if (await isFull(bytes)) await withLock(file, async () => ((await isFull(bytes)) ? rotate() : undefined))
  }

  async function isFull(bytes: number): Promise<boolean> {
    const size = await stat(file).then(
      (stats) => stats.size,
      () => 0,
    )
    return size > 0 && size + bytes > maxFileBytes
  }

  /** `x.jsonl` becomes `x.jsonl.1`, and so on; the oldest goes. */
  async function rotate(): Promise<void> {
    await rm(`${file}.${maxFiles}`, { force: true })
    for (let number = maxFiles - 1; number >= 1; number--)
      await moveIfThere(`${file}.${number}`, `${file}.${number + 1}`)
    await moveIfThere(file, `${file}.1`)
  }
}

async function moveIfThere(from: string, to: string): Promise<void> {
  try {
    await rename(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}
