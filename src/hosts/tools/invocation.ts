import { CapstanError, resultParts, type CapstanErrorCode, type ContentPart } from '../../index.ts'
import type { argumentCheck, Hub, OnAsk, ToolResult } from '../../index.ts'
import type { Approvals } from './approvals.ts'
import { guardContent, type ContentLimits } from './guard-content.ts'
import type { InvocationState } from './invocation-state.ts'
import { listenerSet } from './listener-set.ts'
import { inside, type McpToolName, type McpToolRequest, type McpToolResult } from './opaque.ts'
import { orAborted } from './or-aborted.ts'
import { viewOf, type InvocationView } from './view.ts'

/** Says that an invocation is not as it was: draw its `view()` again. `kind` tells it from the events of the host's own tools. */
export interface McpToolEvent {
  readonly kind: 'mcp'
  readonly id: string
  readonly name: McpToolName
  readonly invocation: Invocation
  readonly [inside]: InvocationState
}

/** One run of a tool. */
export interface Invocation {
  readonly request: McpToolRequest
  readonly state: InvocationState
  /** Never rejects: a failure is a result too, because a model must get an answer to each of its calls. */
  readonly result: Promise<McpToolResult>
  /** Stops it, whether it waits or runs. Without effect after its end. */
  readonly abort: () => void
  /** With `full` nothing is cut, however long it is. */
  readonly view: (options?: { readonly full?: boolean }) => InvocationView
  readonly on: (listener: (event: McpToolEvent) => void) => Disposable
}

export interface InvocationOptions {
  readonly signal?: AbortSignal
  /** Answers what the server asks meanwhile. */
  readonly onAsk?: OnAsk
  /** The host has asked the person about this very call already. What the config denies is refused all the same. */
  readonly isApproved?: boolean
}

export interface InvocationWorld {
  readonly hub: Pick<Hub, 'call'>
  readonly checkArguments: ReturnType<typeof argumentCheck>
  readonly approvals: Approvals
  readonly limits: ContentLimits
  readonly now: () => number
  readonly onEvent: (event: McpToolEvent) => void
}

const argumentBytes = 2048

export function startInvocation(
  request: McpToolRequest,
  options: InvocationOptions,
  world: InvocationWorld,
): Invocation {
  const { tool, input, modelName } = request[inside]
  const startedAt = world.now()
  const listeners = listenerSet<McpToolEvent>()
  const stopper = new AbortController()
  const signal = options.signal === undefined ? stopper.signal : AbortSignal.any([stopper.signal, options.signal])
  let state: InvocationState = { kind: 'pending', isAsking: false }
  let whole: readonly ContentPart[] = []
  let warnings: readonly string[] = []

  const invocation: Invocation = {
    request,
    get state() {
      return state
    },
    // A turn later, so that whoever listens at once misses nothing.
    result: Promise.resolve().then(run),
    abort: () => stopper.abort(),
    view,
    on: listeners.add,
  }
  return invocation

  async function run(): Promise<McpToolResult> {
    try {
      if (input.kind === 'unreadable') return fail('arguments_invalid', `This call did not run: ${input.problem}`)
      // First, so that nobody is asked about a call that cannot run.
      await world.checkArguments(tool, input.value)
      const leave = await orAborted(askLeave, signal)
      if (leave.kind === 'refused') return fail('not_allowed', leave.reason)
      setState({ kind: 'processing' })
      const ref = { server: tool.server, tool: tool.tool }
      const result = await world.hub.call(ref, input.value, {
        signal,
        onProgress: (progress) => setState({ kind: 'processing', progress }),
        ...(options.onAsk === undefined ? {} : { onAsk: options.onAsk }),
      })
      return take(result)
    } catch (error) {
      return failBy(error)
    }
  }

  function askLeave(): ReturnType<Approvals['decide']> {
    const onWait = () => setState({ kind: 'pending', isAsking: true })
    const { isApproved = false } = options
    return world.approvals.decide(request, { signal, isApproved, view: () => view({ full: true }), onWait })
  }

  function take(given: ToolResult): McpToolResult {
    whole = resultParts(given)
    warnings = given.warnings ?? []
    const result = resultOf(given.isError === true)
    if (!result.isError) setState({ kind: 'done', ms: elapsed(), result })
    else setState({ kind: 'error', ms: elapsed(), code: 'tool_error', message: 'the tool reported an error', result })
    return result
  }

  function failBy(error: unknown): McpToolResult {
    if (signal.aborted) {
      const isSent = state.kind === 'processing'
      return fail('cancelled', isSent ? 'Stopped by the user. It may have taken effect.' : 'Stopped before it ran.')
    }
    if (error instanceof CapstanError) return fail(error.code, error.message, error)
    const message = error instanceof Error ? error.message : String(error)
    return fail('unexpected', `Something unexpected happened: ${message}`, error)
  }

  function fail(code: 'unexpected' | CapstanErrorCode, message: string, cause?: unknown): McpToolResult {
    whole = [{ kind: 'text', text: message }]
    const result = resultOf(true)
    setState({ kind: 'error', ms: elapsed(), code, message, result, ...(cause === undefined ? {} : { cause }) })
    return result
  }

  function resultOf(isError: boolean): McpToolResult {
    const parts = guardContent(whole, world.limits)
    return { kind: 'mcp', id: request.id, name: request.name, isError, [inside]: { modelName, parts } }
  }

  function view({ full = false }: { readonly full?: boolean } = {}): InvocationView {
    // What we tell the model of a failure is what the status says.
    const isOurs = state.kind === 'error' && state.code !== 'tool_error'
    const given = isOurs ? [] : whole
    const content = full ? given : guardContent(given, world.limits)
    return viewOf({ request, state, content, warnings, ...(full ? {} : { argumentBytes }) })
  }

  function setState(next: InvocationState): void {
    state = next
    const event = { kind: 'mcp', id: request.id, name: request.name, invocation, [inside]: next } as const
    listeners.tell(event)
    world.onEvent(event)
  }

  function elapsed(): number {
    return world.now() - startedAt
  }
}
