import type { CapstanErrorCode, Progress } from '../../index.ts'
import type { McpToolResult } from './opaque.ts'

/** Where a call stands. Whatever its end is, there is a result for the model. */
export type InvocationState =
  /** Nothing was sent yet. */
  | { readonly kind: 'pending'; readonly isAsking: boolean }
  | { readonly kind: 'processing'; readonly progress?: Progress }
  | { readonly kind: 'done'; readonly ms: number; readonly result: McpToolResult }
  | {
      readonly kind: 'error'
      readonly ms: number
      /** The tool said so itself, the call failed, or something happened that nobody expected. */
      readonly code: 'tool_error' | 'unexpected' | CapstanErrorCode
      readonly message: string
      readonly result: McpToolResult
      readonly cause?: unknown
    }
