import type { ConsoleLine, Entry, Errand, ExecEnd, Language, Limits, SnippetError } from './api.ts'

// Node's types leave out nearly all of WebAssembly.
declare global {
  namespace WebAssembly {
    // A name for it is all we need: what is in it concerns only the engine.
    interface Module {}
    function compile(bytes: Uint8Array): Promise<Module>
  }
}

/** What the host sends to the thread that holds the engine. */
export type ToThread =
  /** Comes first, and once: the engine is made before it is needed. */
  | {
      readonly kind: 'prepare'
      readonly wasm: WebAssembly.Module
      readonly memoryBytes: number
      readonly language: Language | undefined
    }
  | {
      readonly kind: 'run'
      readonly code: string
      readonly language: Language | undefined
      readonly entry: Entry
      readonly tools: Readonly<Record<string, readonly string[]>>
      readonly limits: Limits
    }
  | { readonly kind: 'settle'; readonly id: number; readonly answer: Answer }

/** JSON stays text until it is inside the engine: one parse less, and no object of the host on the way. */
export type Answer =
  | { readonly kind: 'value'; readonly json: string }
  | { readonly kind: 'error'; readonly error: GuestError }

/** An error that is made inside the sandbox from plain data, so that nothing of the host's error comes with it. */
export interface GuestError {
  readonly name: string
  readonly message: string
  readonly code?: string
}

/** What the thread sends to the host. */
export type ToHost =
  | { readonly kind: 'errand'; readonly id: number; readonly request: Request }
  | { readonly kind: 'log'; readonly lines: readonly ConsoleLine[] }
  /** `language` is what the snippet turned out to be. */
  | { readonly kind: 'end'; readonly end: ThreadEnd; readonly language: Language }

/** An errand with what it needs; `args` and `filter` are JSON texts of objects. */
export type Request =
  | (Extract<Errand, { kind: 'call' }> & { readonly args: string; readonly raw: boolean })
  | (Extract<Errand, { kind: 'search' }> & { readonly filter: string })
  | Extract<Errand, { kind: 'inspect' }>

/** How the engine's side sees the end of a run; the clock and cancelling are the host's. */
export type ThreadEnd =
  | { readonly kind: 'returned'; readonly json: string }
  | { readonly kind: 'threw'; readonly error: SnippetError }
  | Extract<ExecEnd, { kind: 'limit' | 'deadlock' }>
