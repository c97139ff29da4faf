import { setImmediate as nextTurn } from 'node:timers/promises'

/** For long work in a loop: lets others have a turn whenever it has gone on for a while since the last one. */
export function makePause(sliceMs = 10): () => Promise<void> {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < sliceMs) return
    await nextTurn()
    since = performance.now()
  }
}
