import type { ConsoleLine } from './api.ts'
import { cutText } from './cut-text.ts'

export interface LogBuffer {
  /** False when the line did not fit whole any more. */
  add(line: ConsoleLine): boolean
  flush(): void
}

/** Counts what a snippet logs before it leaves the thread, and sends it in few messages: a flood must not reach the host. */
export function createLogBuffer(options: {
  readonly maxBytes: number
  readonly send: (lines: readonly ConsoleLine[]) => void
}): LogBuffer {
  let leftBytes = options.maxBytes
  let waiting: ConsoleLine[] = []
  let waitingBytes = 0
  let sentAtMs = 0

  function flush(): void {
    if (waiting.length === 0) return
    options.send(waiting)
    waiting = []
    waitingBytes = 0
    sentAtMs = Date.now()
  }

  return {
    add({ level, text }) {
      // An empty line is not free, or there could be endlessly many.
      const bytes = Buffer.byteLength(text) + 1
      const fits = bytes <= leftBytes
      if (fits || leftBytes > 1) waiting.push({ level, text: fits ? text : cutText(text, leftBytes - 1) })
      leftBytes = Math.max(0, leftBytes - bytes)
      waitingBytes += bytes
      if (waitingBytes >= batchBytes || Date.now() - sentAtMs >= batchMs) flush()
      return fits
    },
    flush,
  }
}

const batchBytes = 16 * 1024
// Short enough that a person sees lines as they come.
const batchMs = 50
