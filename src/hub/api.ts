import type {
  Annotations,
  GetPromptResult,
  PromptArgument,
  ReadResourceResult,
  ToolAnnotations,
} from '@modelcontextprotocol/client'
import type { ErrorJson } from '../errors.ts'
import type { CallEvent, ConsoleLine, ExecOutcome, Language, Limits } from '../sandbox/api.ts'
import type { JsonObject, JsonSchema, ToolRef, ToolResult, WaitOptions } from './values.ts'

export type { JsonObject, JsonSchema, JsonValue, ToolRef, ToolResult, WaitOptions } from './values.ts'
export type { ExecOutcome } from '../sandbox/api.ts'

/** `modern` is the stateless protocol of 2026-07-28, `legacy` everything up to 2025-11-25. */
export type Era = 'modern' | 'legacy'

export interface PromptRef {
  readonly server: string
  readonly prompt: string
}
export interface ResourceRef {
  readonly server: string
  readonly uri: string
}
export interface TemplateRef {
  readonly server: string
  readonly uriTemplate: string
}

/** One tool in the catalogue: the server's own definition plus the names we give it. */
export interface ToolEntry extends ToolRef {
  /** What people read and type: `server.tool`. */
  readonly id: string
  /** What models see: `server__tool`, at most 64 of `[A-Za-z0-9_-]`. */
  readonly modelName: string
  readonly title?: string
  readonly description?: string
  readonly inputSchema: JsonSchema
  readonly outputSchema?: JsonSchema
  readonly annotations?: ToolAnnotations
  /** The rest of the definition, as the server sent it: icons, `_meta`, and what is yet to be invented. */
  readonly more?: JsonObject
}

export interface PromptEntry extends PromptRef {
  /** What people read and type: `server:prompt`. */
  readonly id: string
  readonly title?: string
  readonly description?: string
  readonly arguments?: readonly PromptArgument[]
}

export interface ResourceEntry extends ResourceRef {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly mimeType?: string
  readonly size?: number
  readonly annotations?: Annotations
}

export interface TemplateEntry extends TemplateRef {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly mimeType?: string
}

/** How one server stands in a catalogue: `cached` lists come from disk, `stale` ones are the last good ones after a failed refresh. */
export type Coverage =
  | { readonly kind: 'listed'; readonly server: string }
  | { readonly kind: 'cached'; readonly server: string; readonly savedAtMs: number }
  | { readonly kind: 'stale'; readonly server: string; readonly error: ErrorJson }
  | { readonly kind: 'missing'; readonly server: string; readonly error: ErrorJson }

/** What all servers offer, sorted by server and name; `servers` says which of them did not answer and why. */
export interface Catalogue {
  readonly tools: readonly ToolEntry[]
  readonly prompts: readonly PromptEntry[]
  readonly resources: readonly ResourceEntry[]
  readonly templates: readonly TemplateEntry[]
  readonly servers: readonly Coverage[]
}

export type ListKind = 'tools' | 'prompts' | 'resources' | 'templates'

export type ServerState =
  | { readonly kind: 'idle' }
  /** Since then it is wanted and not there, however many tries that took. */
  | { readonly kind: 'connecting'; readonly sinceMs: number }
  | {
      readonly kind: 'ready'
      readonly era: Era
      readonly protocolVersion: string
      readonly connectMs: number
      readonly transport: 'stdio' | 'http' | 'sse' | 'memory'
      readonly pid?: number
      readonly implementation?: { readonly name: string; readonly version: string }
      readonly instructions?: string
    }
  /** It failed or died; the next try comes by itself, or at once by `control(server, 'restart')`. */
  | {
      readonly kind: 'backing_off'
      readonly error: ErrorJson
      readonly stderrTail: readonly string[]
      readonly nextTryAtMs: number
      /** Failures in a row. */
      readonly failures: number
    }
  | { readonly kind: 'needs_login'; readonly error: ErrorJson }
  | { readonly kind: 'disabled' }
  | { readonly kind: 'untrusted'; readonly change: 'new' | 'changed' | 'refused'; readonly error: ErrorJson }
  /** For good: only a change of its entry, or a restart by hand, can help. */
  | { readonly kind: 'failed'; readonly error: ErrorJson; readonly stderrTail: readonly string[] }

/** A tool that is not there, and why: nobody has approved it, or it cannot be used as it is. */
export interface LeftOutTool {
  readonly tool: string
  readonly reason: 'new' | 'changed' | 'refused' | 'broken'
  readonly error: ErrorJson
}

export interface ServerStatus {
  readonly name: string
  readonly description?: string
  /** It came with the program instead of a config: there without being asked for, so lists for people need not show it. */
  readonly isBuiltin?: boolean
  /** Absent when nothing is known to be left out. */
  readonly leftOut?: readonly LeftOutTool[]
  readonly state: ServerState
  /** Absent as long as nothing has been asked of it. */
  readonly stats?: ServerStats
}

/** What has happened to a server since the hub first used it. */
export interface ServerStats {
  /** Of the connection at hand. */
  readonly uptimeMs?: number
  readonly restarts: number
  readonly calls: number
  readonly p50Ms?: number
  readonly p95Ms?: number
  readonly lastError?: string
  /** Where several copies run. */
  readonly copies?: { readonly ready: number; readonly all: number }
}

export interface LogLine {
  readonly atMs: number
  /** `stderr` and `stdout` (noise that is not JSON-RPC) come from the process, `message` from the protocol, `hub` from us. */
  readonly source: 'stderr' | 'stdout' | 'message' | 'hub'
  readonly text: string
}

export interface Progress {
  readonly progress: number
  readonly total?: number | undefined
  readonly message?: string | undefined
}

export interface CatalogueOptions extends WaitOptions {
  /** Only these servers; all when absent. */
  readonly servers?: readonly string[]
  /** Only these lists; all when absent. */
  readonly kinds?: readonly ListKind[]
  /** Ask the servers again instead of using the lists at hand. */
  readonly fresh?: boolean
}

/** What a server wants of whoever made the request that it works on. `key` is its own name for the question; servers since 2026-07-28 have one. */
export type Ask =
  /** Values for a form; the schema is flat, as the specification has it. */
  | {
      readonly kind: 'form'
      readonly server: string
      readonly key?: string
      readonly message: string
      readonly schema: JsonSchema
    }
  /** A visit to a page. For a login a pasted redirect may come back as `content.redirect`. */
  | {
      readonly kind: 'url'
      readonly server: string
      readonly key?: string
      readonly message: string
      readonly url: string
      readonly purpose: 'elicitation' | 'login'
    }
  /** An answer of a model: the parameters of `sampling/createMessage` as the server sent them. */
  | { readonly kind: 'sampling'; readonly server: string; readonly key?: string; readonly request: JsonObject }

/** `content` holds the form's values, or the sampled message. */
export type Answer =
  | { readonly action: 'accept'; readonly content?: JsonObject }
  | { readonly action: 'decline'; readonly reason?: string }
  | { readonly action: 'cancel' }

/** Answers what a server asks. The signal ends when the answer is no longer wanted. */
export type OnAsk = (ask: Ask, options: { readonly signal: AbortSignal }) => Promise<Answer>

/** Gives the result of `roots/list`: `{ roots: [{ uri, name? }] }`. */
export type OnRoots = (options: { readonly signal: AbortSignal }) => Promise<JsonObject>

export interface AskOptions extends WaitOptions {
  /** Absent: the hub's own default, which declines unless it was opened with another. */
  readonly onAsk?: OnAsk
  /** Says which folders a server works in that may know them; the workspace folder when absent. */
  readonly onRoots?: OnRoots
}

export interface CallOptions extends AskOptions {
  readonly onProgress?: (progress: Progress) => void
  /** Seconds without a sign of life after which the call is given up; the server's `timeout` when absent. */
  readonly idleSeconds?: number
  /** Goes to the server as `_meta` of the request: a trace it belongs to, for example. */
  readonly meta?: JsonObject
}

export type PromptResult = GetPromptResult
export type ResourceContents = ReadResourceResult

export interface Completion {
  readonly values: readonly string[]
  readonly total?: number
  readonly hasMore?: boolean
}

/** Where a word of a search was found; `details` are the descriptions and allowed values of arguments. */
export type SearchField = 'name' | 'title' | 'server' | 'description' | 'arguments' | 'details'

/** A tool that was found. */
export interface ToolHit {
  readonly tool: ToolEntry
  /** Above 0 and below 1; a tool in which more and rarer words are found in more telling places has more of it. */
  readonly score: number
  /** The words of the query that were found, as they were typed. */
  readonly terms: readonly string[]
  /** Where they were found, the most telling place first. */
  readonly fields: readonly SearchField[]
}

export interface ToolSearchOptions extends WaitOptions {
  /** At most this many; 10 when absent. */
  readonly limit?: number
  /** Only tools of these servers; all when absent. */
  readonly servers?: readonly string[]
  /** Only hits that score at least this much. */
  readonly minScore?: number
}

/** What a running snippet does: it writes a line, or a call of it starts or ends. Before it runs: a server whose tools it will not find. */
export type ExecEvent =
  | { readonly kind: 'missing'; readonly server: string; readonly error: ErrorJson }
  | { readonly kind: 'log'; readonly line: ConsoleLine }
  | { readonly kind: 'call'; readonly event: CallEvent }

export interface ExecOptions extends AskOptions {
  /** JavaScript that does not parse is read as TypeScript when absent. */
  readonly language?: Language
  readonly limits?: Partial<Limits>
  /** Only these tools are there: names or globs, bare or as `server.tool`. All when absent. */
  readonly allow?: readonly string[]
  /** These tools are not there, besides those that the config denies. */
  readonly deny?: readonly string[]
  readonly onEvent?: (event: ExecEvent) => void
}

/** What changed in a server's catalogue, by kind: names of tools and prompts, URIs of resources and templates. */
export interface ListDifference {
  readonly kind: ListKind
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly changed: readonly string[]
}

export type HubEvent =
  | { readonly kind: 'state'; readonly server: string; readonly state: ServerState }
  | { readonly kind: 'catalogue'; readonly server: string; readonly difference: ListDifference }
  /** A resource that somebody subscribed to has changed, or may have. */
  | { readonly kind: 'resource'; readonly server: string; readonly uri: string }
  | { readonly kind: 'log'; readonly server: string; readonly line: LogLine }
  | {
      readonly kind: 'call'
      readonly tool: ToolRef
      readonly ms: number
      readonly outcome: 'ok' | 'tool_error' | ErrorJson['code']
    }

export type ControlAction = 'restart' | 'enable' | 'disable' | 'login' | 'logout'

/**
 * All servers together. There are two makers, `openHub` (the servers run in this process) and `dialHub` (they run behind a
 * socket); nobody who holds a Hub knows which. So every method is async over plain JSON.
 */
export interface Hub extends AsyncDisposable {
  servers(options?: WaitOptions): Promise<readonly ServerStatus[]>
  catalogue(options?: CatalogueOptions): Promise<Catalogue>
  call(tool: ToolRef, args: JsonObject, options?: CallOptions): Promise<ToolResult>
  prompt(prompt: PromptRef, args: Readonly<Record<string, string>>, options?: AskOptions): Promise<PromptResult>
  complete(
    target: PromptRef | TemplateRef,
    argument: { readonly name: string; readonly value: string },
    options?: WaitOptions & { readonly context?: Readonly<Record<string, string>> },
  ): Promise<Completion>
  read(resource: ResourceRef, options?: AskOptions): Promise<ResourceContents>
  /** From then on an event `resource` tells of changes, also after the server has come back; as often as it was asked for it must be ended. */
  subscribe(resource: ResourceRef, options?: WaitOptions): Promise<void>
  unsubscribe(resource: ResourceRef, options?: WaitOptions): Promise<void>
  /** The tools that fit a query best, the best first. */
  search(query: string, options?: ToolSearchOptions): Promise<readonly ToolHit[]>
  /** Runs a snippet that calls tools, in a sandbox. What the snippet does is always an outcome, never a rejection. */
  exec(code: string, options?: ExecOptions): Promise<ExecOutcome>
  /** `login` asks its caller to visit a page; the callback comes to the hub itself. */
  control(server: string, action: ControlAction, options?: AskOptions): Promise<void>
  logs(server: string, options?: WaitOptions): Promise<readonly LogLine[]>
  on(listener: (event: HubEvent) => void): Disposable
}
