import type { LogLine } from '../api.ts'

/** The last lines that a server, or the hub about it, had to say. */
export interface ServerLog {
  readonly write: (source: LogLine['source'], text: string) => void
  readonly lines: () => readonly LogLine[]
  readonly stderrTail: () => readonly string[]
}

const maxLines = 1000
const stderrTailLines = 10

export function serverLog(onLine: (line: LogLine) => void): ServerLog {
  const log: LogLine[] = []
  return {
    write(source, text) {
      const line = { atMs: Date.now(), source, text: shortened(text) }
      log.push(line)
      if (log.length > maxLines) log.shift()
      onLine(line)
    },
    lines: () => [...log],
    stderrTail: () =>
      log
        .filter((line) => line.source === 'stderr')
        .slice(-stderrTailLines)
        .map((line) => line.text),
  }
}

const maxLogText = 4096

/** A stray line may be as long as a message; the log keeps its beginning, as a copy, for a slice would keep the whole alive. */
function shortened(text: string): string {
  return text.length <= maxLogText ? text : `${Buffer.from(text.slice(0, maxLogText)).toString()}…`
}
