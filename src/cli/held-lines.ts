import type { Io } from './command.ts'
import type { Pausable } from './progress.ts'

/** Streams whose lines on stderr wait while a person answers a question. */
export function heldLines(io: Io): Pausable & { readonly io: Io } {
  let held: string[] | undefined
  const err = (text: string): void => {
    if (held === undefined) io.err(text)
    else held.push(text)
  }
  return {
    // Not a copy: where the current folder is gone, asking for it throws.
    io: Object.create(io, { err: { value: err } }) as Io,
    pause() {
      held ??= []
    },
    resume() {
      const waiting = held ?? []
      held = undefined
      waiting.forEach((text) => io.err(text))
    },
  }
}
