import { CapstanError, unreachable } from '../errors.ts'
import type { JsonObject, JsonValue } from '../hub/values.ts'
import type { CallOutcome, Errand, Limits, RunOptions, TraceEntry } from './api.ts'
import { cutText } from './cut-text.ts'
import { findTool } from './find-tool.ts'
import { sizeText } from './limits.ts'
import type { Answer, Request } from './messages.ts'
import { toolValue } from './tool-value.ts'

/** Does on the host what a snippet asks of the outside, and keeps the record of it. */
export interface Errands {
  start(id: number, request: Request): void
  /** Gives up what is still under way. */
  cancel(): void
  readonly trace: readonly TraceEntry[]
}

export interface ErrandsOptions {
  readonly options: RunOptions
  readonly limits: Limits
  readonly sinceStartMs: () => number
  readonly settle: (id: number, answer: Answer) => void
  /** A function that we were handed threw something unexpected. */
  readonly onBug: (error: unknown) => void
}

interface Done {
  readonly answer: Answer
  readonly outcome: CallOutcome
}

export function createErrands({ options, limits, sinceStartMs, settle, onBug }: ErrandsOptions): Errands {
  const controller = new AbortController()
  const underWay = new Map<number, { readonly errand: Errand; readonly startMs: number; readonly index: number }>()
  const trace: TraceEntry[] = []
  let count = 0

  function start(id: number, request: Request): void {
    const errand = withoutDetails(request, options)
    underWay.set(id, { errand, startMs: sinceStartMs(), index: count++ })
    options.onCall?.({ kind: 'started', id, errand })
    // After the end nobody is left to tell, and most of these are what was cancelled.
    void perform(id, request).catch((error: unknown) => {
      if (!controller.signal.aborted) onBug(error)
    })
  }

  async function perform(id: number, request: Request): Promise<void> {
    const { answer, outcome } = await answerTo(request, options, { limits, signal: controller.signal }).catch(refusal)
    if (!underWay.has(id)) return
    record(id, sizeOf(answer), outcome)
    settle(id, answer)
  }

  function record(id: number, bytes: number, outcome: CallOutcome): void {
    const begun = underWay.get(id)
    if (begun === undefined) return
    underWay.delete(id)
    const { errand, startMs, index } = begun
    const entry = { errand, startMs, ms: sinceStartMs() - startMs, bytes, outcome }
    trace[index] = entry
    options.onCall?.({ kind: 'ended', id, entry })
  }

  return {
    start,
    trace,
    cancel() {
      for (const id of underWay.keys()) record(id, 0, 'cancelled')
      controller.abort(new CapstanError('cancelled', 'The snippet that made this call has ended.'))
    },
  }
}

async function answerTo(
  request: Request,
  options: RunOptions,
  { limits, signal }: { readonly limits: Limits; readonly signal: AbortSignal },
): Promise<Done> {
  switch (request.kind) {
    case 'call': {
      const found = findTool(request, options)
      if (found.kind === 'missing') throw found.error
      const result = await options.call(found.tool, jsonObject(request.args), { signal })
      const value = toolValue(result, { raw: request.raw })
      return value.kind === 'error' ? failed('ToolError', value.message, 'tool_error') : fitting(value.value, limits)
    }
    case 'search':
      return fitting(await options.search(request.query, jsonObject(request.filter), { signal }), limits)
    case 'inspect':
      return fitting(await options.inspect(request.name, { signal }), limits)
    default:
      return unreachable(request)
  }
}

function refusal(error: unknown): Done {
  if (!(error instanceof CapstanError)) throw error
  return failed('CallError', error.message, error.code)
}

// A text crosses into the engine as bytes, as a string and as what it is parsed to, side by side.
function fitting(value: JsonValue, { memoryBytes }: Limits): Done {
  const json = jsonOf(value)
  if (json === undefined) return failed('CallError', 'The answer nests too deeply.', 'limit_exceeded')
  const bytes = Buffer.byteLength(json)
  if (bytes <= memoryBytes / 4) return { answer: { kind: 'value', json }, outcome: 'ok' }
  const sizes = `The answer of ${sizeText(bytes)} does not fit into the ${sizeText(memoryBytes)} of the sandbox.`
  return failed('CallError', `${sizes} Ask for less of it.`, 'limit_exceeded')
}

/** Undefined for what nests so deeply that writing it would take more stack than there is. */
function jsonOf(value: JsonValue): string | undefined {
  try {
    return JSON.stringify(value)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function failed(name: string, message: string, code: Exclude<CallOutcome, 'ok'>): Done {
  const error = { name, message: cutText(message, maxErrorBytes), code }
  return { answer: { kind: 'error', error }, outcome: code }
}

const maxErrorBytes = 64 * 1024

// The text came out of the sandbox. Keys such as `__proto__` stay keys of the object: nothing is merged or copied.
function jsonObject(text: string): JsonObject {
  const value = parsed(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new CapstanError('arguments_invalid', 'The arguments are not an object of names and values.')
  return value as JsonObject
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function sizeOf(answer: Answer): number {
  return Buffer.byteLength(answer.kind === 'value' ? answer.json : answer.error.message)
}

function withoutDetails(request: Request, options: RunOptions): Errand {
  switch (request.kind) {
    case 'call': {
      const found = findTool(request, options)
      const { server, tool } = found.kind === 'found' ? found.tool : request
      return { kind: 'call', server, tool }
    }
    case 'search':
      return { kind: 'search', query: request.query }
    case 'inspect':
      return { kind: 'inspect', name: request.name }
    default:
      return unreachable(request)
  }
}
