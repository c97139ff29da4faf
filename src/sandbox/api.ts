import type { JsonObject, JsonValue, ToolRef, ToolResult, WaitOptions } from '../hub/values.ts'
import type { CapstanError, ErrorJson } from '../errors.ts'

/** Runs snippets of JavaScript or TypeScript that call tools. Each run gets a fresh engine in a fresh thread. */
export interface Sandbox extends AsyncDisposable {
  /** Never rejects for what the snippet does: that is the outcome. It rejects when a function it was handed has a bug. */
  run(code: string, options: RunOptions): Promise<ExecOutcome>
}

export interface SandboxOptions {
  /** How long a warmed-up thread waits for the next run; 0 keeps none, as fits a process that runs one snippet. */
  readonly spareMs?: number
  /** How many snippets run at the same time at each depth; more of them wait. */
  readonly parallelRuns?: number
}

export interface RunOptions extends WaitOptions {
  /** The names of the tools that are there, by server. */
  readonly tools: Readonly<Record<string, readonly string[]>>
  readonly call: (tool: ToolRef, args: JsonObject, options: Waiting) => Promise<ToolResult>
  readonly search: (query: string, filter: JsonObject, options: Waiting) => Promise<JsonValue>
  readonly inspect: (name: string, options: Waiting) => Promise<JsonValue>
  /** The names closest to one that is not there, best first. */
  readonly nearest: (name: string, candidates: readonly string[]) => readonly string[]
  /** JavaScript that does not parse is read as TypeScript when absent. */
  readonly language?: Language
  /** A snippet that is run as it is when absent. */
  readonly entry?: Entry
  /** How many other runs wait for this one: each depth has places of its own, so that none waits for a run that waits for it. */
  readonly depth?: number
  /** Why a tool that somebody may look for is not there; undefined where nothing is known of it. */
  readonly whyAbsent?: (tool: ToolRef) => CapstanError | undefined
  readonly limits?: Partial<Limits>
  readonly onLog?: (line: ConsoleLine) => void
  readonly onCall?: (event: CallEvent) => void
}

export interface Waiting {
  /** Aborted when the run ends, however it ends. */
  readonly signal: AbortSignal
}

export type Language = 'js' | 'ts'

/** What is done with the code. The last two take it as a module; its top level runs first, in the same sandbox. */
export type Entry =
  | { readonly kind: 'snippet' }
  /** The result is a `ModuleExports`. */
  | { readonly kind: 'exports'; readonly names: readonly string[] }
  /** Calls the default export with one object. */
  | { readonly kind: 'function'; readonly args: JsonObject }

/** What a module exports under the names that were asked for. Functions have a type and no value. */
export interface ModuleExports {
  readonly types: Readonly<Record<string, string>>
  readonly values: JsonObject
}

export interface Limits {
  readonly memoryBytes: number
  readonly timeMs: number
  /** Calls of tools, of `search` and of `inspect` together. */
  readonly calls: number
  /** How many of them are under way at the same time; the others wait inside the sandbox. */
  readonly concurrency: number
  readonly logBytes: number
  readonly resultBytes: number
  readonly snippetBytes: number
  /** The arguments of one call, as JSON. */
  readonly argumentBytes: number
}

/** The limits whose excess ends a run. */
export type LimitName = 'time' | 'memory' | 'calls' | 'log' | 'result' | 'snippet'

export type ExecOutcome = ExecEnd & {
  readonly logs: readonly ConsoleLine[]
  readonly trace: readonly TraceEntry[]
  readonly ms: number
}

export type ExecEnd =
  | { readonly kind: 'returned'; readonly value: JsonValue }
  | { readonly kind: 'threw'; readonly error: SnippetError }
  | { readonly kind: 'limit'; readonly limit: LimitName; readonly message: string }
  /** The snippet waits for something that nothing can bring about. */
  | { readonly kind: 'deadlock'; readonly message: string }
  | { readonly kind: 'cancelled' }

/** An error of the snippet, with places in the snippet only. Line and column count from 1. */
export interface SnippetError {
  readonly name: string
  readonly message: string
  readonly line?: number
  readonly column?: number
  /** The innermost frame first. */
  readonly stack: readonly Frame[]
}

export interface Frame {
  /** Absent for the snippet's own top level and for functions without a name. */
  readonly functionName?: string
  readonly line: number
  readonly column: number
}

export interface ConsoleLine {
  readonly level: ConsoleLevel
  readonly text: string
}
export type ConsoleLevel = 'log' | 'info' | 'warn' | 'error' | 'debug'

/** What the snippet asked of the outside. */
export type Errand =
  | { readonly kind: 'call'; readonly server: string; readonly tool: string }
  | { readonly kind: 'search'; readonly query: string }
  | { readonly kind: 'inspect'; readonly name: string }

export interface TraceEntry {
  readonly errand: Errand
  /** Since the start of the run. */
  readonly startMs: number
  readonly ms: number
  /** The size of the answer as the snippet got it. */
  readonly bytes: number
  readonly outcome: CallOutcome
}

/** `cancelled` were still under way when the run ended: their effect is unknown. */
export type CallOutcome = 'ok' | 'tool_error' | 'cancelled' | ErrorJson['code']

export type CallEvent =
  | { readonly kind: 'started'; readonly id: number; readonly errand: Errand }
  | { readonly kind: 'ended'; readonly id: number; readonly entry: TraceEntry }
