import { dynamicTool, jsonSchema } from 'ai'
import type { DynamicToolCall, ModelMessage, ToolApprovalResponse, ToolModelMessage, ToolResultPart } from 'ai'
import type { ContentPart } from '../index.ts'
import { partText } from './tools/guard-content.ts'
import type { Invocation, SpecsDifference, SpecsOptions, ToolManager } from './tools/index.ts'

export interface AiSdkOptions extends Omit<SpecsOptions<'generic'>, 'provider'> {
  /** Hears of each call as it starts, to show its progress or to stop it. */
  readonly onInvocation?: (invocation: Invocation) => void
}

/** What a call gave, as plain JSON: it survives being stored with the messages. */
export interface AiSdkOutput {
  readonly isError: boolean
  /** Why it failed: `tool_error`, or the code of an error. */
  readonly code?: string
  readonly content: readonly ContentPart[]
}

/** The tools of a manager for the `ai` package, as of one moment. */
export interface AiSdkTools {
  /** For `generateText`, `streamText` and agents, beside tools of your own. */
  readonly tools: Record<string, ReturnType<typeof dynamicTool>>
  /** For their `toolApproval`: asks through the SDK about each call that nothing allows. Leave it out to ask with the manager's `approve`. */
  readonly toolApproval: (options: {
    readonly toolCall: Pick<DynamicToolCall, 'toolCallId' | 'toolName' | 'input'>
  }) => 'user-approval' | 'not-applicable'
  /** Tells of later changes, with the tools from then on. */
  readonly follow: (listener: (next: AiSdkTools, difference: SpecsDifference) => void) => Disposable
}

/** Makes a tool set of a manager's tools. Calls run through the manager: checked, approved, guarded and never repeated. */
export function aiSdkTools(manager: ToolManager, { onInvocation, ...options }: AiSdkOptions = {}): AiSdkTools {
  return toolsOf(manager.specs({ provider: 'generic', ...options }))

  function toolsOf(specs: ReturnType<typeof manager.specs<'generic'>>): AiSdkTools {
    return {
      tools: Object.fromEntries(specs.tools.map((tool) => [tool.name, toolOf(specs, tool)])),
      toolApproval: ({ toolCall: { toolCallId: id, toolName: name, input } }) => {
        const request = specs.request({ id, name, input })
        return request !== undefined && manager.needsApproval(request) ? 'user-approval' : 'not-applicable'
      },
      follow: (listener) => specs.follow((next, difference) => listener(toolsOf(next), difference)),
    }
  }

  function toolOf(specs: ReturnType<typeof manager.specs<'generic'>>, tool: (typeof specs)['tools'][number]) {
    return dynamicTool({
      description: tool.description,
      inputSchema: jsonSchema(tool.inputSchema),
      async execute(input, { toolCallId: id, messages, abortSignal }): Promise<AiSdkOutput> {
        const request = specs.request({ id, name: tool.name, input })
        if (request === undefined) throw new Error(`no tool "${tool.name}" in its own set`)
        const isApproved = wasApproved(messages, id)
        const invocation = manager.start(request, {
          isApproved,
          ...(abortSignal === undefined ? {} : { signal: abortSignal }),
        })
        onInvocation?.(invocation)
        const { isError, content } = specs.answer(await invocation.result)
        const { state } = invocation
        return { isError, content, ...(state.kind === 'error' ? { code: state.code } : {}) }
      },
      toModelOutput: ({ output }) => modelOutput(output),
    })
  }
}

/** The person's own yes to this very call, given through the SDK. */
function wasApproved(messages: readonly ModelMessage[], toolCallId: string): boolean {
  const asked = new Set<string>()
  for (const { role, content } of messages) {
    if (role === 'assistant' && typeof content !== 'string') {
      for (const part of content) {
        if (part.type === 'tool-approval-request' && part.toolCallId === toolCallId) asked.add(part.approvalId)
      }
    }
    if (role === 'tool' && content.some((part) => isYes(part) && asked.has(part.approvalId))) return true
  }
  return false
}

function isYes(part: ToolModelMessage['content'][number]): part is ToolApprovalResponse {
  return part.type === 'tool-approval-response' && part.approved
}

function modelOutput(output: unknown): ToolResultPart['output'] {
  // It may have been stored and read again, by whatever version.
  if (!isOutput(output)) return { type: 'text', value: JSON.stringify(output ?? null) }
  const { isError, code, content } = output
  const text = content.map(partText).join('\n')
  if (code === 'not_allowed') return { type: 'execution-denied', reason: text }
  if (isError) return { type: 'error-text', value: text }
  if (content.every(({ kind }) => kind !== 'media')) return { type: 'text', value: text }
  return { type: 'content', value: content.map(contentValue) }
}

type ContentValue = Extract<ToolResultPart['output'], { type: 'content' }>['value'][number]

function contentValue(part: ContentPart): ContentValue {
  if (part.kind !== 'media') return { type: 'text', text: partText(part) }
  return { type: 'file', mediaType: part.mimeType, data: { type: 'data', data: part.data } }
}

function isOutput(value: unknown): value is AiSdkOutput {
  if (typeof value !== 'object' || value === null) return false
  return 'isError' in value && 'content' in value && Array.isArray(value.content) && value.content.every(isPart)
}

function isPart(value: unknown): value is ContentPart {
  if (typeof value !== 'object' || value === null || !('kind' in value)) return false
  const has = (...fields: readonly string[]) =>
    fields.every((field) => field in value && typeof Reflect.get(value, field) === 'string')
  if (value.kind === 'text') return has('text')
  return value.kind === 'resource' ? has('uri', 'text') : value.kind === 'media' && has('mimeType', 'data')
}
