import { keepOutput } from '../files/kept-output.ts'
import type { Io } from './command.ts'

const maxBytes = 20 * 1024

export interface GuardedText {
  readonly text: string
  /** What is missing and where it is: to be said last, where the eye is. */
  readonly notice?: string
}

/**
 * A text for a person's terminal: a long one keeps its head and its tail, and says how much is missing and where the whole is.
 * What goes into a pipe or a file is never cut.
 */
export async function guardOutput(text: string, io: Io): Promise<GuardedText> {
  const bytes = Buffer.from(text)
  if (!io.stdoutIsTerminal || bytes.length <= maxBytes) return { text }
  const file = await keepOutput(text, io.env)
  const [head, tail] = [wholeLines(text.slice(0, maxBytes / 2), 'start'), wholeLines(text.slice(-maxBytes / 4), 'end')]
  const missing = bytes.length - Buffer.byteLength(head) - Buffer.byteLength(tail)
  return {
    text: `${head}\n[… ${missing} bytes …]\n${tail}`,
    notice: `${missing} of ${bytes.length} bytes are not shown; the whole is in ${file}, and --full shows it.`,
  }
}

/** Cut between lines where there are any. */
function wholeLines(part: string, kept: 'start' | 'end'): string {
  const at = kept === 'start' ? part.lastIndexOf('\n') : part.indexOf('\n')
  if (at === -1) return part
  return kept === 'start' ? part.slice(0, at) : part.slice(at + 1)
}
