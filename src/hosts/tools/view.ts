import { cutMiddle, plainLine, plainText, type ContentPart, type JsonValue } from '../../index.ts'
import { showableContent } from './guard-content.ts'
import type { InvocationState } from './invocation-state.ts'
import { inside, type McpToolName, type McpToolRequest } from './opaque.ts'

/** A call in words and values, for a host to draw as it likes. All text is safe to show. */
export interface InvocationView {
  readonly name: McpToolName
  /** What the server calls the tool; it may say anything, so show the name beside it. */
  readonly title?: string
  readonly arguments: readonly { readonly name: string; readonly value: string }[]
  readonly status: ViewStatus
  readonly content: readonly ContentPart[]
  /** What a person should know about the result. */
  readonly warnings: readonly string[]
}

/** `text` says it in a few words. */
export type ViewStatus =
  | { readonly kind: 'pending'; readonly text: string; readonly isAsking: boolean }
  /** `part` is how much is done, from 0 to 1, where the server says so. */
  | { readonly kind: 'processing'; readonly text: string; readonly part?: number }
  | { readonly kind: 'done'; readonly text: string; readonly ms: number }
  | { readonly kind: 'error'; readonly text: string; readonly ms: number; readonly code: string }

export interface ViewInput {
  readonly request: McpToolRequest
  readonly state: InvocationState
  readonly content: readonly ContentPart[]
  readonly warnings: readonly string[]
  /** The longest an argument may be; whole when absent. */
  readonly argumentBytes?: number
}

export function viewOf({ request, state, content, warnings, argumentBytes }: ViewInput): InvocationView {
  const { tool, input } = request[inside]
  const title = tool.title ?? tool.annotations?.title
  const given = input.kind === 'arguments' ? Object.entries(input.value) : []
  return {
    name: request.name,
    ...(title === undefined ? {} : { title: plainLine(title) }),
    arguments: given.map(([name, value]) => {
      const text = plainText(valueText(value))
      return { name: plainLine(name), value: argumentBytes === undefined ? text : cutMiddle(text, argumentBytes) }
    }),
    status: statusOf(state),
    content: showableContent(content),
    warnings: warnings.map(plainText),
  }
}

function valueText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function statusOf(state: InvocationState): ViewStatus {
  switch (state.kind) {
    case 'pending':
      return { kind: 'pending', text: state.isAsking ? 'waits for approval' : 'waiting', isAsking: state.isAsking }
    case 'processing':
      return processing(state)
    case 'done':
      return { kind: 'done', text: `done in ${seconds(state.ms)}`, ms: state.ms }
    case 'error':
      return { kind: 'error', text: plainLine(state.message), ms: state.ms, code: state.code }
    default:
      return state satisfies never
  }
}

function processing({ progress }: Extract<InvocationState, { kind: 'processing' }>): ViewStatus {
  if (progress === undefined) return { kind: 'processing', text: 'running' }
  const { progress: done, total, message } = progress
  const count = total === undefined ? `${done}` : `${done} of ${total}`
  const text = message === undefined ? `running, ${count}` : `running, ${count}: ${plainLine(message)}`
  const isPart = total !== undefined && total > 0
  return { kind: 'processing', text, ...(isPart ? { part: Math.min(1, Math.max(0, done / total)) } : {}) }
}

function seconds(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
}
