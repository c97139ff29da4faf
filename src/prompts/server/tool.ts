import type { CallToolResult, InputRequiredResult, ServerContext, Tool } from '@modelcontextprotocol/server'
import { fieldsOf, isObject, type Fields } from '../fields.ts'
import type { Library } from './library.ts'
import { badArguments } from './refusal.ts'

/** A tool of the library: what clients see of it, and what it does. */
export interface LibraryTool {
  readonly definition: Tool & { readonly name: string }
  /** Whether it changes the library; such tools are hidden when nobody may. */
  readonly writes: boolean
  readonly run: (args: ToolArguments, call: ToolCall) => Promise<CallToolResult | InputRequiredResult>
}

/** One call of a tool. */
export interface ToolCall {
  readonly library: Library
  /** Who calls, as the history is to say it. */
  readonly by: string
  /** Whether the client can show its person a form. */
  readonly canAsk: boolean
  readonly context: ServerContext
}

/** The arguments of a call, by the type they must have; errors name them. */
export interface ToolArguments extends Fields {
  readonly number: (name: string, range: { readonly least: number; readonly most: number }) => number | undefined
  /** An object of short values, each as text. */
  readonly values: (name: string) => Readonly<Record<string, string>>
  /** Anything at all, as it came. */
  readonly raw: (name: string) => unknown
}

export function toolArguments({ definition }: LibraryTool, given: unknown): ToolArguments {
  const known = Object.keys(definition.inputSchema.properties ?? {})
  const object = isObject(given) ? given : {}
  const stranger = Object.keys(object).find((name) => !known.includes(name))
  if (stranger !== undefined) {
    throw badArguments(
      `${definition.name} has no argument "${stranger.slice(0, 80)}".`,
      `It takes: ${known.join(', ') || 'nothing'}.`,
    )
  }
  const fields = fieldsOf(object, { owner: definition.name, path: '' })
  return {
    ...fields,
    raw: (name) => object[name],
    number(name, { least, most }) {
      const value = fields.has(name) ? object[name] : undefined
      if (value === undefined) return undefined
      if (typeof value === 'number' && value >= least && value <= most) return value
      throw fields.wrong(name, `a number from ${least} to ${most}`, JSON.stringify(value).slice(0, 80))
    },
    values(name) {
      if (!fields.has(name)) return {}
      const inner = fields.within(name)
      const pairs = Object.keys(fields.json(name)).map((key) => [key, inner.optionalScalar(key)[key]] as const)
      return Object.fromEntries(pairs.filter((pair): pair is readonly [string, string] => pair[1] !== undefined))
    },
  }
}

/** A result as data, and as the same data in text for clients that know no structured results. */
export function dataResult(data: Record<string, unknown>, text = JSON.stringify(data)): CallToolResult {
  return { content: [{ type: 'text', text }], structuredContent: data }
}
