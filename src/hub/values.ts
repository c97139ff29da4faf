import type { CallToolResult } from '@modelcontextprotocol/client'

export type { JsonObject, JsonValue } from '../json.ts'
/** A JSON Schema as a server sent it: any dialect, any keyword. */
export type JsonSchema = { readonly [keyword: string]: unknown }

export interface ToolRef {
  readonly server: string
  readonly tool: string
}
export interface WaitOptions {
  readonly signal?: AbortSignal
}

/** A tool's result as the server sent it. `warnings` are ours: output that does not fit the tool's schema, for example. */
export type ToolResult = CallToolResult & { readonly warnings?: readonly string[] }
