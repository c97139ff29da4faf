import { setTimeout as pause } from 'node:timers/promises'
import type { Completion, Hub, PromptRef, TemplateRef } from '../hub/api.ts'

export interface ServerValuesOptions {
  readonly hub: Pick<Hub, 'complete'>
  /** How long a person has to stop typing before a server is asked. */
  readonly debounceMs?: number
  /** How long a server has to answer. */
  readonly limitMs?: number
  /** How long an answer holds. */
  readonly keepMs?: number
  readonly now?: () => number
}

export interface ValueRequest {
  readonly target: PromptRef | TemplateRef
  readonly argument: string
  readonly typed: string
  /** The other arguments. */
  readonly given: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
}

export interface ServerValues {
  /** What the server suggests for an argument; nothing when it fails, is late, or nobody waits any more. */
  readonly suggest: (request: ValueRequest) => Promise<Completion>
  readonly forget: () => void
}

/** Values from servers: asked for when typing rests, given up when it goes on, kept for a while, silent about failures. */
export function serverValues({
  hub,
  debounceMs = 60,
  limitMs = 500,
  keepMs = 30_000,
  now = Date.now,
}: ServerValuesOptions): ServerValues {
  const kept = new Map<string, { readonly completion: Completion; readonly untilMs: number }>()
  return { suggest, forget: () => kept.clear() }

  async function suggest(request: ValueRequest): Promise<Completion> {
    const key = keyOf(request)
    const known = kept.get(key)
    if (known !== undefined && known.untilMs > now()) return known.completion
    try {
      const { signal } = request
      await pause(debounceMs, undefined, signal === undefined ? {} : { signal })
      const completion = await ask(request)
      keep(key, completion)
      return completion
    } catch {
      // Suggestions are a courtesy: no menu is the answer to whatever went wrong.
      return { values: [] }
    }
  }

  async function ask({ target, argument, typed, given, signal }: ValueRequest): Promise<Completion> {
    const late = AbortSignal.timeout(limitMs)
    const until = signal === undefined ? late : AbortSignal.any([signal, late])
    const wanted = { name: argument, value: typed }
    return hub.complete(refOf(target), wanted, { context: given, signal: until })
  }

  function keep(key: string, completion: Completion): void {
    kept.delete(key)
    kept.set(key, { completion, untilMs: now() + keepMs })
    const [oldest] = kept.keys()
    if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest)
  }
}

const mostKept = 500

function keyOf({ target, argument, typed, given }: ValueRequest): string {
  const others = Object.entries(given).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify([refOf(target), argument, typed, others])
}

/** Only what names it: an entry of the catalogue carries more. */
function refOf(target: PromptRef | TemplateRef): PromptRef | TemplateRef {
  const { server } = target
  return 'prompt' in target ? { server, prompt: target.prompt } : { server, uriTemplate: target.uriTemplate }
}
