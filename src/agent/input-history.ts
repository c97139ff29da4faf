import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { openAppendLog } from '../files/append-log.ts'
import { writeFileAtomic } from '../files/atomic-write.ts'
import { realDisk } from '../files/disk.ts'
import { withLock } from '../files/lock.ts'

/** What a person has typed, over all sessions. */
export interface InputHistory {
  /** The oldest first. */
  read(): Promise<readonly string[]>
  /** An empty line, or one that was typed just before, is not kept twice. */
  add(text: string): Promise<void>
}

const most = 1000

export function openInputHistory(stateFolder: string): InputHistory {
  const path = join(stateFolder, 'input-history.jsonl')
  const log = openAppendLog<string[]>({
    path,
    disk: realDisk,
    mode: 0o600,
    start: () => [],
    add: (lines, line) => {
      const text = readText(line)
      if (text !== undefined) lines.push(text)
    },
  })
  return {
    read: async () => (await log.read()).slice(-most),
    async add(text) {
      if (text.trim() === '') return
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      const lines = await log.append((known) =>
        known.at(-1) === text ? [] : [JSON.stringify({ atMs: Date.now(), text })],
      )
      if (lines.length > 2 * most) await forgetOld(lines.slice(-most))
    },
  }

  async function forgetOld(lines: readonly string[]): Promise<void> {
    const kept = lines.map((text) => `${JSON.stringify({ atMs: Date.now(), text })}\n`).join('')
    await withLock(path, () => writeFileAtomic(path, kept, { mode: 0o600 }))
  }
}

function readText(line: string): string | undefined {
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value !== 'object' || value === null || !('text' in value)) return undefined
    return typeof value.text === 'string' ? value.text : undefined
  } catch {
    return undefined // Cut off by a crash.
  }
}
