import type { CallToolResult, Tool } from '@modelcontextprotocol/server'
import { CapstanError } from '../errors.ts'
import type { JsonObject, JsonValue, ToolEntry, ToolHit } from '../hub/api.ts'
import { firstSentence } from '../hub/catalogue/first-sentence.ts'
import { signature } from '../hub/catalogue/signature.ts'

export const metaNames = ['search_tools', 'inspect_tool', 'call_tool', 'call_read_only_tool', 'exec'] as const
export type MetaName = (typeof metaNames)[number]

const name = { type: 'string' } as const
const call: Tool['inputSchema'] = {
  type: 'object',
  properties: { name, arguments: { type: 'object' } },
  required: ['name'],
}

const search: Tool = {
  name: 'search_tools',
  description: 'Find tools by what they do. Gives names, descriptions and arguments.',
  inputSchema: {
    type: 'object',
    properties: { query: { type: 'string' }, limit: { type: 'integer', minimum: 1, maximum: 50 } },
    required: ['query'],
  },
  annotations: { readOnlyHint: true },
}

const inspect: Tool = {
  name: 'inspect_tool',
  description: 'The whole definition of a tool.',
  inputSchema: { type: 'object', properties: { name }, required: ['name'] },
  annotations: { readOnlyHint: true },
}

const callAny: Tool = { name: 'call_tool', description: 'Run a tool that search_tools has found.', inputSchema: call }

const callReadOnly: Tool = {
  name: 'call_read_only_tool',
  description: 'The same for tools that only read.',
  inputSchema: call,
  annotations: { readOnlyHint: true },
}

const exec: Tool = {
  name: 'exec',
  description:
    'Run JavaScript or TypeScript that calls tools: await tools.SERVER.TOOL({…}). Also search(words) and inspect(name). Return the result; console.log is shown.',
  inputSchema: { type: 'object', properties: { code: { type: 'string' } }, required: ['code'] },
}

/** What clients see in place of the tools themselves. */
export function metaTools(mode: 'meta' | 'code', { hasReadOnly }: { readonly hasReadOnly: boolean }): Tool[] {
  if (mode === 'code') return [search, exec]
  return [search, inspect, callAny, ...(hasReadOnly ? [callReadOnly] : [])]
}

/** Few words for each: what it is called, does and takes. */
export function foundTools(hits: readonly ToolHit[], nameOf: (tool: ToolEntry) => string): CallToolResult {
  const lines = hits.map(({ tool }) => {
    const about = firstSentence(tool.description ?? tool.title)
    return `${nameOf(tool)}${about === '' ? '' : ` — ${about}`}\n  ${signature(tool)}`
  })
  const text = lines.length === 0 ? 'No tool fits. Try other words, or fewer.' : lines.join('\n')
  return { content: [{ type: 'text', text }] }
}

export function inspectedTool(tool: ToolEntry, shownName: string): CallToolResult {
  const { title, description, inputSchema, outputSchema, annotations } = tool
  const definition = { name: shownName, title, description, inputSchema, outputSchema, annotations }
  return { content: [{ type: 'text', text: JSON.stringify(definition, undefined, 1) }] }
}

/** The arguments of our own tools, checked by hand. */
export function textArgument(args: JsonObject, key: string): string {
  const value = args[key]
  if (typeof value === 'string' && value !== '') return value
  throw new CapstanError('arguments_invalid', `"${key}" must be a text.`)
}

export function objectArgument(args: JsonObject, key: string): JsonObject {
  const value: JsonValue = args[key] ?? {}
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject
  throw new CapstanError('arguments_invalid', `"${key}" must be an object.`)
}

export function limitArgument(args: JsonObject): number {
  const { limit = 10 } = args
  if (typeof limit === 'number' && Number.isInteger(limit) && limit >= 1 && limit <= 50) return limit
  throw new CapstanError('arguments_invalid', '"limit" must be a whole number from 1 to 50.')
}
