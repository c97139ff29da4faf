import type { Progress } from '../hub/api.ts'
import type { Io } from './command.ts'
import { plainText } from '../policy/plain-text.ts'
import { truncate } from './render/width.ts'

/** What stands still while a person answers a question. */
export interface Pausable {
  readonly pause: () => void
  readonly resume: () => void
}

/** Shows progress on stderr: one line that is redrawn on a terminal, a line each elsewhere. */
export function showProgress(io: Io): Pausable & {
  readonly onProgress: (progress: Progress) => void
  readonly clear: () => void
} {
  let isDrawn = false
  let isPaused = false
  return {
    onProgress(progress) {
      if (isPaused) return
      const text = describe(progress)
      if (!io.stderrIsTerminal) return io.err(`${text}\n`)
      const line = truncate(`${bar(progress)}${text}`, Math.max(10, io.columns - 1))
      io.err(`\r\u001B[K${line}`)
      isDrawn = true
    },
    clear,
    pause() {
      clear()
      isPaused = true
    },
    resume() {
      isPaused = false
    },
  }

  function clear(): void {
    if (isDrawn) io.err('\r\u001B[K')
    isDrawn = false
  }
}

const barWidth = 24

function bar({ progress, total }: Progress): string {
  if (total === undefined || !(total > 0)) return ''
  const filled = Math.round(Math.min(1, Math.max(0, progress / total)) * barWidth)
  return `${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)} `
}

function describe({ progress, total, message }: Progress): string {
  const count = total === undefined ? `${progress}` : `${progress}/${total}`
  return message === undefined ? count : `${count} ${plainText(message).replaceAll('\n', ' ')}`
}
