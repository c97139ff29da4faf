// The public names of `capstan/tools`.
export { createToolManager } from './create-tool-manager.ts'
export type { ToolManager, ToolManagerOptions } from './create-tool-manager.ts'
export type { McpToolName, McpToolRequest, McpToolResult } from './opaque.ts'
export type { Invocation, InvocationOptions, McpToolEvent } from './invocation.ts'
export type { InvocationState } from './invocation-state.ts'
export type { InvocationView, ViewStatus } from './view.ts'
export { viewAsMarkdown, viewAsText } from './render-view.ts'
export type { ModelCall, Specs, SpecsDifference, SpecsOptions } from './specs.ts'
export type {
  AnthropicTool,
  GenericTool,
  GoogleTool,
  OpenAiResponsesTool,
  OpenAiTool,
  Provider,
  ProviderTools,
} from './provider-tools.ts'
export type {
  AnthropicResult,
  GenericResult,
  GoogleResult,
  OpenAiResponsesResult,
  OpenAiResult,
  ProviderResults,
} from './provider-results.ts'
export type { ObjectSchema } from './object-schema.ts'
export type { ServerReport } from './live-tools.ts'
export type { Approval, ApprovalQuestion, ApprovalScope, Approve } from './approvals.ts'
export type { AskTrust, OptionLevels, TrustAnswer, TrustQuestion } from './option-levels.ts'
export type { ContentLimits } from './guard-content.ts'
export type { ContentPart } from '../../index.ts'
