import type { Era, JsonObject, ListKind, OnAsk, OnRoots, Progress, ToolEntry } from '../api.ts'

export type TransportKind = 'stdio' | 'http' | 'sse' | 'memory'

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined
  /** Time without a sign of life; progress extends it. */
  readonly idleMs: number
  /** Time in all. */
  readonly maxMs: number
  readonly onProgress?: ((progress: Progress) => void) | undefined
  /** Answers what the server asks while it works on this request. */
  readonly onAsk?: OnAsk | undefined
  /** Says which folders the caller works in. */
  readonly onRoots?: OnRoots | undefined
  /** Where the request comes from a run in the sandbox. */
  readonly nesting?: Nesting | undefined
  /** Goes along as `_meta`. */
  readonly meta?: JsonObject | undefined
  /** Of a list: ask the server, even where a shared connection has the answer. */
  readonly fresh?: boolean | undefined
}

/** What a call inherits from the run in the sandbox that makes it. */
export interface Nesting {
  /** How many runs it is inside of. */
  readonly depth: number
  /** What the run may not call, nor anything that it calls. */
  readonly deny: readonly string[]
}

export interface FollowOptions {
  readonly signal: AbortSignal
  readonly onUpdate: () => void
}

/** A server that has agreed to tell; `ended` resolves when it tells no more. */
export interface Following {
  readonly ended: Promise<void>
}

/** One live connection to one server. What it throws is translated: nobody above sees an SDK error. */
export interface Connection {
  readonly era: Era
  readonly protocolVersion: string
  readonly transport: TransportKind
  readonly pid?: number
  readonly implementation?: { readonly name: string; readonly version: string }
  readonly instructions?: string
  readonly completes: boolean
  /** Whether the server keeps something for this connection, so that its user must come back to it. */
  readonly hasSession: boolean
  readonly request: (method: string, params: JsonObject, options: RequestOptions) => Promise<JsonObject>
  readonly callTool: (tool: ToolEntry, args: JsonObject, options: RequestOptions) => Promise<JsonObject>
  /** All pages of one list; empty when the server does not offer that kind. */
  readonly list: (kind: ListKind, options: RequestOptions) => Promise<readonly JsonObject[]>
  /** Asks the server to tell when a resource changes; absent where nobody could. */
  readonly follow?: (uri: string, options: FollowOptions) => Promise<Following>
  /** Whether a request that failed with this error did not reach anything that could have run it. */
  readonly wasNotRun: (error: unknown) => boolean
  /** Resolves when the connection is of no more use, by whoever's hand; requests that are under way may still be answered. */
  readonly closed: Promise<void>
  /** Resolves when nothing of it is left. */
  readonly ended: Promise<void>
  readonly close: () => Promise<void>
}
