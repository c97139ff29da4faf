import type { CallToolResult, Tool } from '@modelcontextprotocol/server'
import { CapstanError, unreachable } from '../errors.ts'
import type { JsonObject, ToolEntry, ToolResult } from '../hub/api.ts'
import type { searchTools } from '../hub/search/search-tools.ts'
import type { Audit } from './audit.ts'
import { toolWork } from './call-tool.ts'
import type { Mode } from './caller.ts'
import type { Exchange } from './exchange.ts'
import { execWork } from './exec-tool.ts'
import { troubleOf } from './live-catalogue.ts'
import {
  foundTools,
  inspectedTool,
  limitArgument,
  metaNames,
  metaTools,
  objectArgument,
  textArgument,
  type MetaName,
} from './meta-tools.ts'
import { toolDefinition, toolName } from './surface.ts'
import type { View } from './view.ts'
import type { Work } from './waiting-calls.ts'

export interface ToolDesk {
  readonly view: View
  readonly audit: Audit
  readonly mode: Exclude<Mode, 'auto'>
  readonly search: ReturnType<typeof searchTools>
}

export async function listTools({ view, mode }: ToolDesk, signal: AbortSignal): Promise<Tool[]> {
  const catalogue = await view.catalogue({ signal })
  if (mode !== 'all') return metaTools(mode, { hasReadOnly: catalogue.tools.some(view.isReadOnly) })
  return catalogue.tools.map((tool) => toolDefinition(tool, view.naming, troubleOf(catalogue, tool.server)?.message))
}

export interface CalledTool {
  readonly work: Work<ToolResult>
  /** Where the result is that of a server's tool. */
  readonly tool?: ToolEntry
}

/** What a call by this name means in this mode. A tool's own name means that tool in every mode: the same rules hold for it. */
export async function calledTool(
  desk: ToolDesk,
  { name, args, exchange }: { readonly name: string; readonly args: JsonObject; readonly exchange: Exchange },
): Promise<CalledTool> {
  const { view, audit, mode } = desk
  const { signal } = exchange
  const offered = mode === 'all' ? [] : metaTools(mode, { hasReadOnly: true })
  const own = metaNames.find((one) => one === name && offered.some((tool) => tool.name === one))
  if (own !== undefined) return ownTool(desk, own, { args, exchange })
  const tool = await view.tool(name, { signal })
  return { tool, work: toolWork({ view, audit, tool, args, exchange, via: 'direct' }) }
}

async function ownTool(
  desk: ToolDesk,
  name: MetaName,
  { args, exchange }: { readonly args: JsonObject; readonly exchange: Exchange },
): Promise<CalledTool> {
  const { view, audit, search } = desk
  const { signal } = exchange
  const shown = (tool: ToolEntry) => toolName(tool, view.naming)
  switch (name) {
    case 'search_tools': {
      const { tools } = await view.catalogue({ signal })
      const hits = await search(tools, textArgument(args, 'query'), { limit: limitArgument(args), signal })
      return { work: told(foundTools(hits, shown)) }
    }
    case 'inspect_tool': {
      const tool = await view.tool(textArgument(args, 'name'), { signal })
      return { work: told(inspectedTool(tool, shown(tool))) }
    }
    case 'call_tool':
    case 'call_read_only_tool': {
      const tool = await view.tool(textArgument(args, 'name'), { signal })
      if (name === 'call_read_only_tool' && !view.isReadOnly(tool)) throw notReadOnly(tool)
      const inner = { view, audit, tool, args: objectArgument(args, 'arguments'), exchange, via: 'call_tool' } as const
      return { tool, work: toolWork(inner) }
    }
    case 'exec':
      return { work: execWork({ view, audit, code: textArgument(args, 'code'), exchange }) }
    default:
      return unreachable(name)
  }
}

function told(result: CallToolResult): Work<ToolResult> {
  return async () => result
}

function notReadOnly(tool: ToolEntry): CapstanError {
  return new CapstanError('not_allowed', `The tool ${tool.id} is not known to only read.`, {
    server: tool.server,
    next: 'Use call_tool.',
  })
}
