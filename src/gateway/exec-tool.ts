import type { CallToolResult } from '@modelcontextprotocol/server'
import { unreachable } from '../errors.ts'
import type { ExecEvent, ExecOutcome, ToolEntry } from '../hub/api.ts'
import { judgeAccess } from '../policy/access.ts'
import type { Audit } from './audit.ts'
import type { Exchange } from './exchange.ts'
import type { View } from './view.ts'
import type { Work } from './waiting-calls.ts'
import { askOptions } from './wire-asks.ts'

interface ExecCall {
  readonly view: View
  readonly audit: Audit
  readonly code: string
  readonly exchange: Exchange
}

/** Runs a snippet over exactly the tools that the rules allow unasked: in the middle of a run there is nobody to ask. */
export function execWork({ view, audit, code, exchange }: ExecCall): Work<CallToolResult> {
  return async ({ signal, onAsk }) => {
    const { tools } = await view.catalogue({ signal })
    const allow = tools.filter((tool) => isPlain(tool) && judgeAccess(view.caller.rules, tool) === 'allowed')
    const outcome = await view.hub.exec(code, {
      signal,
      allow: allow.map(({ id }) => id),
      onEvent: noteCalls({ view, audit, client: exchange.client, tools }),
      ...askOptions({ askable: exchange.askable, onAsk, server: 'exec' }),
    })
    return resultOf(outcome)
  }
}

/** The allowed are listed by name: a name that reads as a pattern could let others in. */
function isPlain({ id }: ToolEntry): boolean {
  return !/[*?{]/.test(id)
}

interface Noting {
  readonly view: View
  readonly audit: Audit
  readonly client: string
  readonly tools: readonly ToolEntry[]
}

function noteCalls({ view, audit, client, tools }: Noting): (event: ExecEvent) => void {
  const open = new Map<number, ReturnType<Audit['begin']>>()
  return (event) => {
    if (event.kind !== 'call') return
    const { event: call } = event
    if (call.kind === 'ended') {
      open.get(call.id)?.(call.entry.outcome)
      open.delete(call.id)
    } else if (call.errand.kind === 'call') {
      const { server } = call.errand
      const tool = { server, id: `${server}.${call.errand.tool}` }
      const used = tools.find(({ id }) => id === tool.id)
      if (used !== undefined && !view.pins.isHeld(used)) view.pins.use(used)
      open.set(call.id, audit.begin({ caller: view.caller.name, client, tool, args: {}, via: 'exec' }))
    }
  }
}

function resultOf(outcome: ExecOutcome): CallToolResult {
  const logs = outcome.logs.map(({ text }) => text)
  const parts = [endOf(outcome), ...(logs.length === 0 ? [] : [`Log:\n${logs.join('\n')}`])]
  const content = parts.map((text) => ({ type: 'text' as const, text }))
  return outcome.kind === 'returned' ? { content } : { isError: true, content }
}

function endOf(outcome: ExecOutcome): string {
  switch (outcome.kind) {
    case 'returned':
      return typeof outcome.value === 'string' ? outcome.value : JSON.stringify(outcome.value)
    case 'threw': {
      const { name, message, line } = outcome.error
      return `${name}: ${message}${line === undefined ? '' : ` (line ${line})`}`
    }
    case 'limit':
    case 'deadlock':
      return outcome.message
    case 'cancelled':
      return 'The run was cancelled.'
    default:
      return unreachable(outcome)
  }
}
