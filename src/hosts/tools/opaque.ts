import type { ContentPart, JsonObject, ToolEntry } from '../../index.ts'

/** Opens what hosts hold but cannot look into or make. It is no public name: that is what keeps them closed. */
export const inside = Symbol('capstan.tools')

/** A tool's name as people read it, `mcp.server.tool`. To be shown, kept and handed back; never taken apart. */
export type McpToolName = string & { readonly [inside]: 'name' }

/** A call that a model wants to make of one of these tools. `kind` tells it from the requests of the host's own tools. */
export interface McpToolRequest {
  readonly kind: 'mcp'
  /** The model's own id of the call. */
  readonly id: string
  readonly name: McpToolName
  readonly [inside]: {
    readonly tool: ToolEntry
    readonly modelName: string
    readonly input: RequestInput
  }
}

export type RequestInput =
  | { readonly kind: 'arguments'; readonly value: JsonObject }
  /** What the model wrote is no object of JSON; it is told so. */
  | { readonly kind: 'unreadable'; readonly problem: string }

/** What came of a call, ready to be handed to the model or shown. */
export interface McpToolResult {
  readonly kind: 'mcp'
  readonly id: string
  readonly name: McpToolName
  readonly isError: boolean
  readonly [inside]: {
    readonly modelName: string
    /** Within the limits of what a model is given. */
    readonly parts: readonly ContentPart[]
  }
}

/** The name that people read. Tools are looked up by it, so it need not be unambiguous to a parser. */
export function nameOf(tool: Pick<ToolEntry, 'id'>): McpToolName {
  // The one place where the brand is given.
  return `mcp.${tool.id}` as McpToolName
}
