import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { writeFileAtomic } from '../../files/atomic-write.ts'
import type { ServerConfig } from '../../config/types.ts'

/**
 * Remembers which servers are legacy, so that the next connection skips the probe. Only that verdict is worth keeping, a modern
 * server answers the probe anyway; and it is dated, because an upgraded server would still answer `initialize` for ever.
 */
export interface Eras {
  readonly isLegacy: (server: ServerConfig) => boolean
  /** Resolves when the verdict is on disk. Failing to keep it costs a probe next time, nothing else. */
  readonly remember: (server: ServerConfig, era: 'legacy' | 'unknown') => Promise<void>
}

const maxAgeMs = 7 * 24 * 3600 * 1000

export function eras(file: string, now: () => number): Eras {
  let lastWrite: Promise<void> = Promise.resolve()
  return {
    isLegacy(server) {
      const seenAt = read(file)[keyOf(server)]
      return seenAt !== undefined && isRecent(seenAt)
    },
    remember(server, era) {
      // One after the other: servers connect together, and each would write over what the others have just learnt.
      const writing = lastWrite.then(() => write(keyOf(server), era))
      lastWrite = writing.catch(() => {})
      return writing
    },
  }

  async function write(key: string, era: 'legacy' | 'unknown'): Promise<void> {
    const { [key]: _, ...others } = read(file)
    const recent = Object.entries(others).filter(([, seenAt]) => isRecent(seenAt))
    const verdicts = { ...Object.fromEntries(recent), ...(era === 'legacy' ? { [key]: now() } : {}) }
    await writeFileAtomic(file, `${JSON.stringify(verdicts, null, 1)}\n`)
  }

  /** A date in the future comes from a clock that was wrong, and would be believed for too long. */
  function isRecent(seenAt: number): boolean {
    return seenAt <= now() && now() - seenAt < maxAgeMs
  }
}

function read(file: string): Readonly<Record<string, number>> {
  try {
    const stored: unknown = JSON.parse(readFileSync(file, 'utf8'))
    const entries = Object.entries(stored ?? {}).filter(
      (entry): entry is [string, number] => typeof entry[1] === 'number',
    )
    return Object.fromEntries(entries)
  } catch {
    // Absent or damaged: a cache is rebuilt, not repaired.
    return {}
  }
}

/** What is run, not with which secrets. */
function keyOf(server: ServerConfig): string {
  const what = server.transport === 'stdio' ? [server.command, server.args, server.cwd] : [server.url]
  return hash('sha256', JSON.stringify(what)).slice(0, 16)
}
