import { unreachable } from '../errors.ts'
import type { ConsoleLevel, Language, LimitName, SnippetError } from './api.ts'
import { compileModule, compileSnippet, type Compiled } from './compile.ts'
import { cutText } from './cut-text.ts'
import { isOutOfMemory, type Detail, type Details, type Engine } from './engine.ts'
import { snippetFrames, type Layout } from './frames.ts'
import { bridgeAnswers, type GuestRequest } from './guest.ts'
import { errorBytes, sizeText } from './limits.ts'
import { mostLevels, nestsTooDeeply } from './json-depth.ts'
import { createLogBuffer } from './log-buffer.ts'
import type { Answer, ThreadEnd, ToHost, ToThread } from './messages.ts'

/** One run as the thread sees it. Every limit but the clock is counted here, before anything reaches the host. */
export interface GuestRun {
  start(): void
  settle(id: number, answer: Answer): void
  /** The guest asks for something; the answer is one of `bridgeAnswers`. */
  request(request: GuestRequest, details: Details): number
}

export interface GuestRunOptions {
  readonly engine: Engine
  readonly order: Extract<ToThread, { kind: 'run' }>
  readonly post: (message: ToHost) => void
}

const maxTimers = 10_000
const longestTimerMs = 2 ** 31 - 1

export function createGuestRun({ engine, order, post }: GuestRunOptions): GuestRun {
  const { limits } = order
  const timers = new Map<number, NodeJS.Timeout>()
  const log = createLogBuffer({ maxBytes: limits.logBytes, send: (lines) => post({ kind: 'log', lines }) })
  let language: Language = order.language ?? 'js'
  let layout: Layout = { shift: 0, lines: [] }
  let calls = 0
  let underWay = 0
  let hasEnded = false

  function start(): void {
    enter(() => {
      const { code, entry } = order
      const compiled =
        entry.kind === 'snippet'
          ? compileSnippet(code, order.language, (text) => engine.syntaxProblem(text, 'script'))
          : compileModule(code, language, (text) => engine.syntaxProblem(text, 'module'))
      language = compiled.language
      if (compiled.kind === 'failed') endThrown(compiled.error)
      else begin(compiled)
    })
  }

  function begin(compiled: Extract<Compiled, { kind: 'ready' }>): void {
    layout = compiled.layout
    const { entry } = order
    const tools = JSON.stringify(order.tools)
    switch (entry.kind) {
      case 'snippet':
        return engine.start(compiled.code, tools, compiled.isExpression)
      case 'exports':
        return engine.startModule(compiled.code, tools, { namesJson: JSON.stringify(entry.names), argsJson: '' })
      case 'function':
        return engine.startModule(compiled.code, tools, { namesJson: '[]', argsJson: JSON.stringify(entry.args) })
      default:
        return unreachable(entry)
    }
  }

  function settle(id: number, answer: Answer): void {
    enter(() => {
      underWay--
      if (answer.kind === 'value') engine.enter('settleValue', id, answer.json)
      else engine.enter('settleError', id, answer.error.name, answer.error.message, answer.error.code ?? '')
    })
  }

  /** Every way into the engine: whatever it throws is a failure of the engine, after which it is not used again. */
  function enter(action: () => void): void {
    if (hasEnded) return
    try {
      action()
      if (!hasEnded) engine.drain()
    } catch (error) {
      end(engineFailure(error))
    }
    log.flush()
    if (!hasEnded && underWay === 0 && timers.size === 0) end(stuck())
  }

  function request(request: GuestRequest, details: Details): number {
    if (hasEnded) return bridgeAnswers.done
    switch (request) {
      case 'call':
      case 'search':
      case 'inspect':
        return errand(request, details)
      case 'log':
        if (!log.add({ level: text(details(0)) as ConsoleLevel, text: text(details(1)) })) endLimit('log')
        return bridgeAnswers.done
      case 'timer':
        return setTimer(Number(details(0)), Number(details(1)))
      case 'clear':
        return clearTimer(Number(details(0)))
      case 'returned':
        return endReturned(text(details(0)))
      case 'threw':
        return endThrown({ name: text(details(0)), message: text(details(1)), stack: [] }, text(details(2)))
      default:
        return unreachable(request)
    }
  }

  function errand(kind: 'call' | 'search' | 'inspect', details: Details): number {
    const id = Number(details(0))
    if (id > limits.calls || calls >= limits.calls) return endLimit('calls')
    if (underWay >= limits.concurrency) return bridgeAnswers.later
    const [name, tool, json] = [text(details(1)), text(details(2)), text(details(3))]
    if (Buffer.byteLength(name) + Buffer.byteLength(json) > limits.argumentBytes) return bridgeAnswers.tooLarge
    if (nestsTooDeeply(json)) return bridgeAnswers.tooDeep
    calls++
    underWay++
    const raw = details(4) === 1
    if (kind === 'call') post({ kind: 'errand', id, request: { kind, server: name, tool, args: json, raw } })
    else if (kind === 'search') post({ kind: 'errand', id, request: { kind, query: name, filter: json } })
    else post({ kind: 'errand', id, request: { kind, name } })
    return bridgeAnswers.done
  }

  function setTimer(id: number, ms: number): number {
    if (timers.size >= maxTimers) return bridgeAnswers.tooMany
    const fire = (): void => {
      timers.delete(id)
      enter(() => engine.enter('fire', id))
    }
    timers.set(id, setTimeout(fire, Math.min(ms, longestTimerMs)))
    return bridgeAnswers.done
  }

  function clearTimer(id: number): number {
    clearTimeout(timers.get(id))
    timers.delete(id)
    return bridgeAnswers.done
  }

  function endReturned(json: string): number {
    if (Buffer.byteLength(json) > limits.resultBytes) return endLimit('result')
    if (!nestsTooDeeply(json)) return end({ kind: 'returned', json })
    const message = `The returned value nests deeper than ${mostLevels} levels. Return only what is needed of it.`
    return endThrown({ name: 'RangeError', message, stack: [] })
  }

  function endThrown(error: SnippetError, stack = ''): number {
    if (isOutOfMemory(error)) return endLimit('memory')
    const frames = stack === '' ? error.stack : snippetFrames(stack, layout)
    const place = frames[0] === undefined ? {} : { line: frames[0].line, column: frames[0].column }
    const message = cutText(error.message, errorBytes)
    return end({ kind: 'threw', error: { ...error, ...place, message, stack: frames } })
  }

  function endLimit(limit: Exclude<LimitName, 'time' | 'snippet'>): number {
    return end({ kind: 'limit', limit, message: messages[limit]() })
  }

  const messages = {
    memory: () => `The snippet needs more than its ${sizeText(limits.memoryBytes)} of memory.`,
    calls: () => `The snippet makes more than ${limits.calls} calls.`,
    log: () => `The snippet logs more than ${sizeText(limits.logBytes)}.`,
    result: () =>
      `The returned value is larger than ${sizeText(limits.resultBytes)} as JSON. Return only what is needed of it.`,
  }

  function stuck(): ThreadEnd {
    // With no room left, not even the error about it can be made: then nothing is thrown and nothing goes on.
    if (engine.isMemoryFull()) return { kind: 'limit', limit: 'memory', message: messages.memory() }
    const message = 'The snippet waits for a promise that nothing can settle: no call and no timer is under way.'
    return { kind: 'deadlock', message }
  }

  function engineFailure(error: unknown): ThreadEnd {
    const { name, message } = error instanceof Error ? error : new Error(String(error))
    if (isOutOfMemory({ name, message }) || message === 'wasm_malloc failed')
      return { kind: 'limit', limit: 'memory', message: messages.memory() }
    // V8's own stack can run out before the engine's does, in parsers that recurse.
    const what = error instanceof RangeError ? 'it recurses or nests too deeply' : cutText(message, errorBytes)
    const described = { name: error instanceof RangeError ? 'RangeError' : 'InternalError', stack: [] }
    return { kind: 'threw', error: { ...described, message: `The snippet broke its engine: ${what}.` } }
  }

  function end(threadEnd: ThreadEnd): number {
    if (hasEnded) return bridgeAnswers.done
    hasEnded = true
    for (const timer of timers.values()) clearTimeout(timer)
    log.flush()
    post({ kind: 'end', end: threadEnd, language })
    return bridgeAnswers.done
  }

  return { start, settle, request }
}

function text(detail: Detail): string {
  return typeof detail === 'string' ? detail : ''
}
