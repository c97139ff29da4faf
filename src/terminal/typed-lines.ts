import { setTimeout as wait } from 'node:timers/promises'
import type { InputHistory } from '../agent/input-history.ts'
import type { PromptEditor } from './prompt-editor.ts'

/** What was typed, here and in earlier sessions. A history that cannot be read, or written, is no reason not to talk. */
export interface TypedLines {
  /** Gives the editor what was typed in earlier sessions. */
  readonly recall: () => Promise<void>
  readonly add: (line: string) => void
  /** Resolves when all has been kept, or after a moment. */
  readonly settle: () => Promise<void>
}

export function makeTypedLines(inputs: InputHistory, editor: Pick<PromptEditor, 'addToHistory'>): TypedLines {
  let kept: Promise<void> = Promise.resolve()
  return {
    async recall() {
      const lines = await inputs.read().catch(() => [])
      for (const line of lines.slice(-mostRecalled)) editor.addToHistory(line)
    },
    add(line) {
      editor.addToHistory(line)
      kept = keep(kept, line)
    },
    settle: () => Promise.race([kept, wait(longestMs, undefined, { ref: false })]),
  }

  /** One after the other, so that they keep their order. */
  async function keep(before: Promise<void>, line: string): Promise<void> {
    await before
    await inputs.add(line).catch(() => undefined)
  }
}

const mostRecalled = 100

/** How long leaving waits for what was typed last. */
const longestMs = 1000
