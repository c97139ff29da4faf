import { statSync } from 'node:fs'
import { watchFiles } from '../files/watch.ts'
import type { StoreChange, StoredPrompt } from './store.ts'

type View = ReadonlyMap<string, StoredPrompt>
type Listener = (change: StoreChange) => void

export interface PromptWatch {
  listen(listener: Listener): Disposable
  /** Ends the watch for all listeners. */
  stop(): void
}

/** Tells listeners which prompts have changed; the files are watched only while somebody listens. */
export function watchPrompts(source: { readonly files: readonly string[]; read(): Promise<View> }): PromptWatch {
  const listeners = new Set<{ readonly listener: Listener }>()
  let watching: Disposable | undefined
  let looking: Promise<View | undefined> = Promise.resolve(undefined)

  return {
    listen(listener) {
      const place = { listener }
      if (listeners.size === 0) begin()
      listeners.add(place)
      return {
        [Symbol.dispose]() {
          listeners.delete(place)
          if (listeners.size === 0) end()
        },
      }
    },
    stop() {
      listeners.clear()
      end()
    },
  }

  function begin(): void {
    looking = source.read().catch(unreadable)
    watching = watchFiles(source.files, look, { contentOf: stampOf })
  }

  function end(): void {
    watching?.[Symbol.dispose]()
    watching = undefined
  }

  function look(): void {
    looking = looking.then(async (before) => {
      const after = await source.read().catch(unreadable)
      const names = before === undefined || after === undefined ? [] : changedNames(before, after)
      if (names.length > 0) for (const { listener } of listeners) listener({ names })
      return after ?? before
    })
  }
}

/** Whoever uses the store meets the same error; a watch has nobody to tell. */
function unreadable(): undefined {
  return undefined
}

/** Reading a large file every few seconds would cost more than the watch is worth; what has changed is compared afterwards. */
function stampOf(file: string): string | undefined {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false })
  return found === undefined ? undefined : `${found.ino}:${found.size}:${found.mtimeNs}`
}

function changedNames(before: View, after: View): readonly string[] {
  if (before === after) return []
  const names = new Set([...before.keys(), ...after.keys()])
  return [...names].filter((name) => !isSame(before.get(name), after.get(name))).sort()
}

function isSame(a: StoredPrompt | undefined, b: StoredPrompt | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  if (a.revision !== b.revision || a.layer !== b.layer) return false
  if (JSON.stringify([a.labels, a.overrides]) !== JSON.stringify([b.labels, b.overrides])) return false
  return a.prompt === b.prompt || JSON.stringify(a.prompt) === JSON.stringify(b.prompt)
}
