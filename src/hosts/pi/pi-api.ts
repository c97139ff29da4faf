// The part of pi's extension API that is used here, as pi 0.87 and 1.5 declare it. Its own types would bring all of pi with them.
import type { JsonObject } from '../../index.ts'

export type Environment = Readonly<Record<string, string | undefined>>

export type Level = 'info' | 'warning' | 'error'

export interface DialogOptions {
  readonly signal?: AbortSignal
}

export interface PiUi {
  /** Undefined when the person turned away. */
  readonly select: (title: string, options: string[], dialog?: DialogOptions) => Promise<string | undefined>
  readonly input: (title: string, placeholder?: string, dialog?: DialogOptions) => Promise<string | undefined>
  readonly confirm: (title: string, message: string, dialog?: DialogOptions) => Promise<boolean>
  readonly notify: (message: string, level?: Level) => void
  readonly setStatus: (key: string, text: string | undefined) => void
  /** Only on a terminal does it do anything. */
  readonly addAutocompleteProvider: (wrap: <Provider>(current: Provider) => Provider) => void
}

export interface PiContext {
  /** Must not be touched after the session has been shut down: it throws. */
  readonly ui: PiUi
  readonly mode: 'tui' | 'rpc' | 'json' | 'print'
  /** Whether a person can be asked: on a terminal and over RPC. */
  readonly hasUI: boolean
  readonly cwd: string
  readonly model: { readonly contextWindow: number } | undefined
}

export interface PiImage {
  readonly type: 'image'
  readonly data: string
  readonly mimeType: string
}

export type PiContent = { readonly type: 'text'; readonly text: string } | PiImage

export interface PiToolResult {
  readonly content: PiContent[]
  /** Kept with the conversation; not seen by the model. */
  readonly details: JsonObject
}

export interface PiTool {
  readonly name: string
  readonly label: string
  readonly description: string
  readonly promptSnippet: string
  readonly promptGuidelines?: string[]
  readonly parameters: JsonObject
  readonly prepareArguments?: (args: unknown) => unknown
  /** A throw becomes an error that the model reads. */
  readonly execute: (
    id: string,
    params: JsonObject,
    signal: AbortSignal | undefined,
    onUpdate: ((partial: PiToolResult) => void) | undefined,
    context: PiContext,
  ) => Promise<PiToolResult>
}

export interface PiCommand {
  readonly description: string
  readonly getArgumentCompletions?: (
    typed: string,
  ) => Promise<{ value: string; label: string; description?: string }[] | null>
  readonly handler: (args: string, context: PiContext) => Promise<void>
}

export interface AgentStart {
  readonly systemPrompt: string
  /** Absent in older versions. */
  readonly systemPromptOptions?: { readonly sections?: Record<string, string> }
}

export interface PiInput {
  readonly text: string
  readonly images?: readonly PiImage[]
  readonly source: 'interactive' | 'rpc' | 'extension'
}

export type PiInputResult =
  | { readonly action: 'handled' }
  | { readonly action: 'transform'; readonly text: string; readonly images: PiImage[] }

export interface Pi {
  on(event: 'session_start', handler: (event: object, context: PiContext) => Promise<void>): void
  on(event: 'session_shutdown', handler: (event: object, context: PiContext) => Promise<void>): void
  on(
    event: 'before_agent_start',
    handler: (event: AgentStart, context: PiContext) => Promise<{ systemPrompt?: string } | undefined>,
  ): void
  on(event: 'input', handler: (event: PiInput, context: PiContext) => Promise<PiInputResult | undefined>): void
  registerTool(tool: PiTool): void
  registerCommand(name: string, command: PiCommand): void
  registerFlag(name: string, flag: { readonly type: 'string'; readonly description: string }): void
  getFlag(name: string): boolean | string | undefined
  sendUserMessage(content: PiContent[], options?: { readonly deliverAs?: 'steer' | 'followUp' }): void
  /** Since 1.0, which speaks MCP itself. */
  registerMcpServer?(name: string, config: McpServer): void
}

interface McpServer {
  readonly command: string
  readonly args: string[]
  readonly env: Record<string, string>
  readonly description: string
}
