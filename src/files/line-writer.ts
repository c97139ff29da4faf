import { appendFile, mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Appends lines to a file in the background, in order; those that come while a write is under way go together in the next. */
export interface LineWriter {
  readonly write: (line: string) => void
  /** Resolves when all lines so far are on disk, or could not be written. */
  readonly settled: () => Promise<void>
}

export interface LineWriterOptions {
  readonly file: string
  /** Makes room before so many bytes are added. */
  readonly makeRoom: (bytes: number) => Promise<void>
  /** Lines that could not be written are lost. */
  readonly onFailure: (error: unknown) => void
}

export function lineWriter({ file, makeRoom, onFailure }: LineWriterOptions): LineWriter {
  let waiting: string[] = []
  let writing: Promise<void> | undefined
  return {
    write(line) {
      waiting.push(`${line}\n`)
      writing ??= writeAll().finally(() => (writing = undefined))
    },
    settled: async () => writing,
  }

  async function writeAll(): Promise<void> {
    while (waiting.length > 0) {
      const text = waiting.join('')
      waiting = []
      await append(text).catch(onFailure)
    }
  }

  async function append(text: string): Promise<void> {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await makeRoom(Buffer.byteLength(text))
    await appendFile(file, text, { mode: 0o600 })
  }
}
