import { appendFile, mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

/** Appends lines to a file in the background, in order. The first is written at once; those that follow soon go together in the next write. */
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

// A file that is opened anew for every line costs a busy gateway as much as the calls that the lines tell of.
const gatherMs = 200

export function lineWriter({ file, makeRoom, onFailure }: LineWriterOptions): LineWriter {
  let waiting: string[] = []
  let writing: Promise<void> | undefined
  let hurry = new AbortController()
  return {
    write(line) {
      waiting.push(`${line}\n`)
      writing ??= writeAll().finally(() => (writing = undefined))
    },
    settled: async () => {
      hurry.abort()
      await writing
    },
  }

  async function writeAll(): Promise<void> {
    hurry = new AbortController()
    while (waiting.length > 0) {
      const text = waiting.join('')
      waiting = []
      await append(text).catch(onFailure)
      await gather()
    }
  }

  /** Lets lines come together, unless somebody waits for them to be on disk. */
  async function gather(): Promise<void> {
    // It rejects only when it is cut short.
    await pause(gatherMs, undefined, { signal: hurry.signal }).catch(() => {})
  }

  async function append(text: string): Promise<void> {
    await makeRoom(Buffer.byteLength(text))
    try {
      await appendFile(file, text, { mode: 0o600 })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      await mkdir(dirname(file), { recursive: true, mode: 0o700 })
      await appendFile(file, text, { mode: 0o600 })
    }
  }
}
