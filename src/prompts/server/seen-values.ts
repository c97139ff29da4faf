import type { Prompt } from '../prompt.ts'

/** The values that arguments had before, for completion. They are kept in memory alone: some hold what should not be on disk. */
export interface SeenValues {
  readonly remember: (prompt: Prompt, args: Readonly<Record<string, string>>) => void
  /** The last one first. */
  readonly of: (prompt: string, argument: string) => readonly string[]
}

const maxValues = 50
/** Longer ones are texts, not names that somebody would type again. */
const maxCharacters = 100

export function seenValues(): SeenValues {
  const seen = new Map<string, readonly string[]>()
  const keyOf = (prompt: string, argument: string) => JSON.stringify([prompt, argument])
  return {
    remember(prompt, args) {
      for (const [argument, value] of Object.entries(args)) {
        if (value === '' || value.length > maxCharacters || value.includes('\n')) continue
        const key = keyOf(prompt.name, argument)
        const others = (seen.get(key) ?? []).filter((other) => other !== value)
        seen.set(key, [value, ...others].slice(0, maxValues))
      }
    },
    of: (prompt, argument) => seen.get(keyOf(prompt, argument)) ?? [],
  }
}
