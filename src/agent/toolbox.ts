import type { Catalogue, ToolEntry } from '../hub/api.ts'
import { findTool } from '../hub/catalogue/names.ts'
import { toolsTokens } from '../hub/catalogue/tokens.ts'
import type { JsonObject } from '../hub/values.ts'
import { CapstanError } from '../errors.ts'
import type { ToolDeclaration } from './model.ts'
import { ownTools, type OwnToolName } from './own-tools.ts'
import type { CallPart } from './repair-history.ts'
import { isObject, parseObject } from '../json.ts'

/** What a model can call in one turn, and how it is told of it. */
export interface Toolbox {
  /** Each tool declared; or, where that would cost too much, tools to search, inspect and call the others with. */
  readonly mode: 'each' | 'search'
  readonly declarations: readonly ToolDeclaration[]
  readonly tools: readonly ToolEntry[]
  /** What declaring each tool costs, about. */
  readonly tokens: number
  readonly find: (call: CallPart) => CallTarget
}

export type CallTarget =
  | { readonly kind: 'server'; readonly tool: ToolEntry; readonly args: JsonObject }
  | { readonly kind: 'own'; readonly name: OwnToolName; readonly args: JsonObject }
  /** It cannot run; the model is told why. */
  | { readonly kind: 'wrong'; readonly problem: string }

export interface ToolboxOptions {
  readonly contextTokens: number
  /** Up to this part of the context, in percent, each tool is declared. */
  readonly inlinePercent: number
}

export function buildToolbox(catalogue: Catalogue, { contextTokens, inlinePercent }: ToolboxOptions): Toolbox {
  const { tools, prompts } = catalogue
  const tokens = toolsTokens(tools)
  const mode = tokens <= (contextTokens * inlinePercent) / 100 ? 'each' : 'search'
  const own = ownTools.filter(({ when }) => when === mode || (when === 'prompts' && prompts.length > 0))
  return {
    mode,
    tools,
    tokens,
    declarations: [
      ...(mode === 'each' ? tools.map(declare) : []),
      ...own.map(({ name, description, schema }) => ({ name, description, schema })),
    ],
    find,
  }

  function find({ name, input }: CallPart): CallTarget {
    if (input.kind === 'invalid')
      return { kind: 'wrong', problem: `${input.problem}. You wrote: ${input.text.slice(0, 500)}` }
    const ownName = own.find((tool) => tool.name === name)?.name
    if (ownName === 'call_tool') return findNested(input.value)
    if (ownName !== undefined) return { kind: 'own', name: ownName, args: input.value }
    return findServerTool(name, input.value)
  }

  function findNested({ tool, arguments: args = {} }: JsonObject): CallTarget {
    if (typeof tool !== 'string') return { kind: 'wrong', problem: 'call_tool needs the name of a tool in "tool"' }
    const value = typeof args === 'string' ? parseObject(args) : args
    if (!isObject(value)) return { kind: 'wrong', problem: '"arguments" of call_tool must be an object' }
    return findServerTool(tool, value)
  }

  function findServerTool(name: string, args: JsonObject): CallTarget {
    try {
      return { kind: 'server', tool: findTool(catalogue, name), args }
    } catch (error) {
      if (!(error instanceof CapstanError)) throw error
      return { kind: 'wrong', problem: error.message }
    }
  }
}

function declare({ modelName, title, description, inputSchema }: ToolEntry): ToolDeclaration {
  return { name: modelName, description: description ?? title ?? '', schema: inputSchema }
}
