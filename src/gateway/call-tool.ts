import { setImmediate as nextTurn } from 'node:timers/promises'
import { CapstanError } from '../errors.ts'
import type { HubEvent, JsonObject, ToolEntry, ToolResult } from '../hub/api.ts'
import { judgeAccess } from '../policy/access.ts'
import type { Audit } from './audit.ts'
import type { Exchange } from './exchange.ts'
import { toLevel } from './log-level.ts'
import type { View } from './view.ts'
import type { Work, WorkOptions } from './waiting-calls.ts'
import { askOptions } from './wire-asks.ts'

export interface ToolCall {
  readonly view: View
  readonly audit: Audit
  readonly tool: ToolEntry
  readonly args: JsonObject
  /** The request that began it. */
  readonly exchange: Exchange
  /** The way it came: by its own name, or by a tool that calls tools. */
  readonly via: 'direct' | 'call_tool' | 'exec'
}

/** The one way to a tool, whatever the mode: judged, asked about where the rules say so, called and noted. */
export function toolWork(call: ToolCall): Work<ToolResult> {
  return async (options) => {
    const { view, audit, tool, args, via, exchange } = call
    const note = audit.begin({
      caller: view.caller.name,
      client: exchange.client,
      tool,
      args,
      via,
      oddities: view.oddities(tool),
    })
    try {
      await permitted(call, options)
      view.pins.use(tool)
      const result = await callHub(call, options)
      note(result.isError === true ? 'tool_error' : 'ok', result)
      return result
    } catch (error) {
      note(error instanceof CapstanError ? error.code : 'internal')
      throw error
    }
  }
}

async function permitted({ view, tool, args }: ToolCall, { onAsk, signal }: WorkOptions): Promise<void> {
  const access = judgeAccess(view.caller.rules, tool)
  if (access === 'allowed') return
  const refused = new CapstanError('not_allowed', `The tool ${tool.id} is not allowed here.`, {
    server: tool.server,
    next: 'Ask whoever runs this gateway to allow it.',
  })
  if (access === 'denied') throw refused
  const message = `May ${tool.id} run with ${shown(args)}?`
  const answer = await onAsk(
    { kind: 'form', server: tool.server, message, schema: { type: 'object', properties: {} } },
    { signal },
  )
  if (answer.action !== 'accept') {
    throw new CapstanError('not_allowed', `The tool ${tool.id} needs a yes first, and there was none.`, {
      server: tool.server,
    })
  }
  // The rules may have changed while somebody thought about it.
  if (judgeAccess(view.caller.rules, tool) === 'denied') throw refused
}

function shown(args: JsonObject): string {
  const text = JSON.stringify(args)
  return text.length <= 2000 ? text : `${text.slice(0, 2000)}… (${text.length} characters in all)`
}

async function callHub(call: ToolCall, { onAsk, signal, exchange }: WorkOptions): Promise<ToolResult> {
  const { view, tool, args } = call
  using _logs = view.hub.on((event) => passLog(event, tool.server, exchange()))
  const result = await view.hub.call({ server: tool.server, tool: tool.tool }, args, {
    signal,
    meta: call.exchange.meta,
    onProgress: (progress) => exchange()?.onProgress?.(progress),
    ...askOptions({ askable: call.exchange.askable, onAsk, server: tool.server }),
  })
  // What the server logged last comes in the same breath as its answer, and is heard a moment later.
  await nextTurn()
  return result
}

/** What the server says while it works. Nobody can tell for whom it says it. */
function passLog(event: HubEvent, server: string, exchange: Exchange | undefined): void {
  if (event.kind !== 'log' || event.server !== server || event.line.source !== 'message') return
  const { level, text } = toLevel(event.line.text)
  exchange?.log(level, text, server)
}
