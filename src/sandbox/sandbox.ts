import type { ExecEnd, ExecOutcome, Language, Limits, RunOptions, Sandbox, SandboxOptions } from './api.ts'
import { driveRun } from './drive-run.ts'
import { fullLimits, sizeText } from './limits.ts'
import { createSlots, type Slots } from './slots.ts'
import { loadEngine, spawnThread, type Thread } from './spawn-thread.ts'

/** Makes a sandbox. It starts nothing before its first run; between runs it keeps one thread warm for a while. */
export function createSandbox({ spareMs = 300_000, parallelRuns = 4 }: SandboxOptions = {}): Sandbox {
  const slotsByDepth = new Map<number, Slots>()
  const closing = new AbortController()
  const stopping = new Set<Promise<void>>()
  let wasm: Promise<WebAssembly.Module> | undefined
  let spare: { readonly thread: Thread; readonly timer: NodeJS.Timeout } | undefined
  let language: Language | undefined

  async function run(code: string, options: RunOptions): Promise<ExecOutcome> {
    const limits = fullLimits(options.limits)
    const signal = AbortSignal.any([closing.signal, ...(options.signal === undefined ? [] : [options.signal])])
    if (Buffer.byteLength(code) > limits.snippetBytes) return nothingRan(snippetLimit(limits))
    const slots = slotsAt(options.depth ?? 0)
    if (!(await slots.take(signal))) return nothingRan({ kind: 'cancelled' })
    const thread = takeSpare(limits.memoryBytes) ?? start(limits.memoryBytes)
    try {
      const onLanguage = (used: Language): void => void (language = used)
      return await driveRun(thread, { code, limits, options, signal, onLanguage })
    } finally {
      // The answer does not wait for the thread to be gone; its place does.
      stop(thread, () => slots.free())
      keepSpare(limits.memoryBytes)
    }
  }

  function slotsAt(depth: number): Slots {
    const slots = slotsByDepth.get(depth) ?? createSlots(parallelRuns)
    slotsByDepth.set(depth, slots)
    return slots
  }

  function start(memoryBytes: number): Thread {
    wasm ??= loadEngine().catch((error: unknown) => {
      wasm = undefined
      throw error
    })
    return spawnThread({ wasm, memoryBytes, language })
  }

  function stop(thread: Thread, andThen: () => void = () => undefined): void {
    const stopped = thread.stop().finally(() => {
      stopping.delete(stopped)
      andThen()
    })
    stopping.add(stopped)
  }

  function takeSpare(memoryBytes: number): Thread | undefined {
    const thread = spare?.thread
    if (thread?.memoryBytes !== memoryBytes) return undefined
    clearTimeout(spare?.timer)
    spare = undefined
    thread.worker.off('error', dropSpare).off('exit', dropSpare)
    return thread
  }

  function keepSpare(memoryBytes: number): void {
    if (spareMs === 0 || closing.signal.aborted) return
    const thread = takeSpare(memoryBytes) ?? start(memoryBytes)
    dropSpare()
    // A spare one that dies is replaced by the next run.
    thread.worker.once('error', dropSpare).once('exit', dropSpare)
    spare = { thread, timer: setTimeout(dropSpare, spareMs).unref() }
  }

  function dropSpare(): void {
    if (spare === undefined) return
    clearTimeout(spare.timer)
    stop(spare.thread)
    spare = undefined
  }

  return {
    run,
    async [Symbol.asyncDispose]() {
      closing.abort()
      dropSpare()
      await Promise.all(stopping)
    },
  }
}

function snippetLimit({ snippetBytes }: Limits): ExecEnd {
  const message = `The snippet is larger than ${sizeText(snippetBytes)}. Pass its data as arguments of tools instead.`
  return { kind: 'limit', limit: 'snippet', message }
}

function nothingRan(end: ExecEnd): ExecOutcome {
  return { ...end, logs: [], trace: [], ms: 0 }
}
