import type { SessionUpdate, ToolCallStatus, ToolKind } from '@agentclientprotocol/sdk'
import type { CallEnd, CallInput } from '../../agent/record.ts'
import type { CallState, CallView } from '../../agent/session.ts'
import type { Progress } from '../../hub/api.ts'
import { plainLine } from '../../policy/plain-text.ts'
import { callContent } from './content-blocks.ts'
import { locationsOf } from './locations.ts'

export interface CallsShown {
  readonly show: (call: CallView) => void
  /** Closes what will not be heard of again: calls that were cut off while the model wrote them. */
  readonly closeOpen: () => void
}

/** Calls as an editor sees them: told whole once, then only what changes. */
export function showCalls(put: (update: SessionUpdate) => void): CallsShown {
  const open = new Map<string, CallView>()

  return {
    show(call) {
      const { callId: toolCallId, label, input, state } = call
      const before = open.get(toolCallId)
      if (state.kind === 'ended') open.delete(toolCallId)
      else open.set(toolCallId, call)
      const isSameTool = before?.label === label
      const isSameInput = isSameTool && valueOf(before.input) === valueOf(input)
      const fields = { ...(isSameInput ? {} : inputFields(input)), ...stateFields(state) }
      if (before === undefined) put({ sessionUpdate: 'tool_call', toolCallId, ...titleOf(label), ...fields })
      else put({ sessionUpdate: 'tool_call_update', toolCallId, ...(isSameTool ? {} : titleOf(label)), ...fields })
    },
    closeOpen() {
      for (const toolCallId of open.keys()) put({ sessionUpdate: 'tool_call_update', toolCallId, status: 'failed' })
      open.clear()
    },
  }
}

/** The same object as long as it is the same call. */
function valueOf(input: CallInput | undefined): unknown {
  return input?.kind === 'json' ? input.value : input?.text
}

export function titleOf(label: string): { readonly title: string; readonly name: string; readonly kind: ToolKind } {
  return { title: plainLine(label), name: label, kind: kinds.get(label) ?? 'other' }
}

/** Our own tools. What a server says about its own is no reason for an editor to let it run unasked, as some do with `read`. */
const kinds: ReadonlyMap<string, ToolKind> = new Map([
  ['search_tools', 'search'],
  ['inspect_tool', 'read'],
  ['list_prompts', 'read'],
  ['get_prompt', 'read'],
  ['exec', 'execute'],
])

export function inputFields(input: CallInput | undefined): {
  readonly rawInput?: unknown
  readonly locations?: ReturnType<typeof locationsOf>
} {
  if (input === undefined) return {}
  if (input.kind === 'invalid') return { rawInput: input.text }
  const locations = locationsOf(input.value)
  return { rawInput: input.value, ...(locations.length === 0 ? {} : { locations }) }
}

function stateFields(state: CallState) {
  switch (state.kind) {
    case 'pending':
    case 'waiting':
      return { status: 'pending' } as const
    case 'processing':
      return { status: 'in_progress', ...progressFields(state.progress) } as const
    case 'ended':
      return { status: endStatus(state.end), content: callContent(state.parts) }
    default:
      return state satisfies never
  }
}

export function endStatus(end: CallEnd): ToolCallStatus {
  return end === 'done' ? 'completed' : 'failed'
}

function progressFields(progress: Progress | undefined) {
  if (progress === undefined) return {}
  const { progress: done, total, message } = progress
  const count = total === undefined ? String(done) : `${done} of ${total}`
  return { content: callContent([{ kind: 'text', text: message === undefined ? count : `${count}: ${message}` }]) }
}
