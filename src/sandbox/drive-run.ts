import { unreachable } from '../errors.ts'
import type { JsonValue } from '../hub/values.ts'
import type { ConsoleLine, ExecEnd, ExecOutcome, Language, Limits, RunOptions } from './api.ts'
import { createErrands } from './errands.ts'
import type { ThreadEnd, ToHost } from './messages.ts'
import type { Thread } from './spawn-thread.ts'

export interface DriveOptions {
  readonly code: string
  readonly limits: Limits
  readonly options: RunOptions
  /** Ends the run as cancelled: the caller's own signal, or the sandbox being closed. */
  readonly signal: AbortSignal
  readonly onLanguage: (language: Language) => void
}

/** Runs one snippet in a thread, from the host's side: the clock, cancelling, and everything the snippet asks for. */
export async function driveRun(thread: Thread, drive: DriveOptions): Promise<ExecOutcome> {
  const { code, limits, options, signal } = drive
  const startedAtMs = performance.now()
  const sinceStartMs = (): number => performance.now() - startedAtMs
  const logs: ConsoleLine[] = []
  const ended = Promise.withResolvers<ExecEnd>()
  const errands = createErrands({
    options,
    limits,
    sinceStartMs,
    settle: (id, answer) => thread.post({ kind: 'settle', id, answer }),
    onBug: ended.reject,
  })

  function receive(message: ToHost): void {
    switch (message.kind) {
      case 'errand':
        return errands.start(message.id, message.request)
      case 'log':
        logs.push(...message.lines)
        return message.lines.forEach((line) => options.onLog?.(line))
      case 'end':
        drive.onLanguage(message.language)
        return ended.resolve(asEnd(message.end))
      default:
        return unreachable(message)
    }
  }

  const cancel = (): void => ended.resolve({ kind: 'cancelled' })
  const timer = setTimeout(() => ended.resolve(timeLimit(limits)), limits.timeMs)
  signal.addEventListener('abort', cancel, { once: true })
  if (signal.aborted) cancel()
  watch(thread, { limits, receive, ended })
  try {
    await Promise.race([thread.prepared, ended.promise])
    const { language, tools, entry = { kind: 'snippet' } } = options
    thread.post({ kind: 'run', code, language, entry, tools, limits })
    const end = await ended.promise
    return { ...end, logs, trace: errands.trace, ms: sinceStartMs() }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', cancel)
    thread.worker.removeAllListeners('message')
    errands.cancel()
  }
}

function watch(
  { worker }: Thread,
  {
    limits,
    receive,
    ended,
  }: {
    readonly limits: Limits
    readonly receive: (message: ToHost) => void
    readonly ended: PromiseWithResolvers<ExecEnd>
  },
): void {
  worker.ref()
  worker.on('message', (message: ToHost) => {
    try {
      receive(message)
    } catch (error) {
      ended.reject(error)
    }
  })
  worker.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_WORKER_OUT_OF_MEMORY') return ended.reject(error)
    const message = `The snippet made its sandbox use far more than its ${limits.memoryBytes} bytes of memory.`
    return ended.resolve({ kind: 'limit', limit: 'memory', message })
  })
  worker.on('exit', (code) => ended.reject(new Error(`The sandbox's thread ended by itself with code ${code}.`)))
}

function timeLimit({ timeMs }: Limits): ExecEnd {
  return { kind: 'limit', limit: 'time', message: `The snippet ran for more than ${timeMs / 1000} s.` }
}

function asEnd(end: ThreadEnd): ExecEnd {
  return end.kind === 'returned' ? { kind: 'returned', value: JSON.parse(end.json) as JsonValue } : end
}
