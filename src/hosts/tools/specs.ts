import { isAllowed, type ToolEntry } from '../../index.ts'
import { inside, nameOf, type McpToolName, type McpToolRequest, type McpToolResult } from './opaque.ts'
import { providerNames } from './provider-names.ts'
import { answerWith, type ProviderResults } from './provider-results.ts'
import { defineTools, type NamedTool, type Provider, type ProviderTools } from './provider-tools.ts'
import { readInput } from './read-input.ts'

export interface SpecsOptions<P extends Provider> {
  /** Whose shapes the definitions and the results have. */
  readonly provider: P
  /** This thread has these tools and no others: names or globs, bare or as `server.tool`. All when absent. */
  readonly allow?: readonly string[]
  /** This thread does not have these. */
  readonly deny?: readonly string[]
  /** The names of the host's own tools, which none of these may have. */
  readonly reserved?: readonly string[]
}

/** A call as a model made it: `input` is the object it wrote, or its text. */
export interface ModelCall {
  readonly id: string
  readonly name: string
  readonly input: unknown
}

/** What changed since the definitions that a thread had before, by the names that people read. */
export interface SpecsDifference {
  readonly added: readonly McpToolName[]
  readonly removed: readonly McpToolName[]
  /** The same tools with another description or other arguments. */
  readonly changed: readonly McpToolName[]
}

/** The tools of one thread, as they are at one moment. */
export interface Specs<P extends Provider> {
  readonly provider: P
  /** To be given to the provider as its `tools`, beside the host's own. */
  readonly tools: ProviderTools[P]
  /** The same tools as people read them. */
  readonly names: readonly McpToolName[]
  /** The request that a model's call is; undefined when it is not for one of these tools. */
  readonly request: (call: ModelCall) => McpToolRequest | undefined
  /** A result in the shape that the provider takes. */
  readonly answer: (result: McpToolResult) => ProviderResults[P]
  /** Tells of later changes, with the definitions from then on. A tool keeps the name that this thread knows. */
  readonly follow: (listener: (next: Specs<P>, difference: SpecsDifference) => void) => Disposable
}

/** Where tools come from, and how to hear of changes. */
export interface ToolSource {
  readonly now: () => readonly ToolEntry[]
  readonly onChange: (listener: () => void) => Disposable
}

/** The tools of a new thread. */
export function threadSpecs<P extends Provider>(source: ToolSource, options: SpecsOptions<P>): Specs<P> {
  return lookAt(source, options, new Map()).specs
}

interface Look<P extends Provider> {
  readonly specs: Specs<P>
  readonly tools: readonly ToolEntry[]
  /** All names that this thread has ever known, by a tool's id. */
  readonly known: ReadonlyMap<string, string>
}

function lookAt<P extends Provider>(
  source: ToolSource,
  options: SpecsOptions<P>,
  kept: ReadonlyMap<string, string>,
): Look<P> {
  const { provider, allow = ['*'], deny = [], reserved = [] } = options
  const tools = source.now().filter((tool) => isAllowed({ allow, deny }, tool))
  const names = providerNames(tools, { reserved: new Set(reserved), kept })
  const byName = new Map(tools.map((tool): NamedTool => [names.get(tool.id) ?? tool.modelName, tool]))
  const look: Look<P> = {
    tools,
    known: new Map([...kept, ...names]),
    specs: {
      provider,
      tools: defineTools[provider]([...byName]),
      names: tools.map(nameOf),
      request: ({ id, name, input }) => {
        const tool = byName.get(name)
        if (tool === undefined) return undefined
        return { kind: 'mcp', id, name: nameOf(tool), [inside]: { tool, modelName: name, input: readInput(input) } }
      },
      answer: answerWith[provider],
      follow,
    },
  }
  return look

  function follow(listener: (next: Specs<P>, difference: SpecsDifference) => void): Disposable {
    let last = look
    return source.onChange(() => {
      const next = lookAt(source, options, last.known)
      const difference = differenceOf(last.tools, next.tools)
      last = next
      if (Object.values(difference).some((names) => names.length > 0)) listener(next.specs, difference)
    })
  }
}

function differenceOf(before: readonly ToolEntry[], now: readonly ToolEntry[]): SpecsDifference {
  const [old, fresh] = [definitionsOf(before), definitionsOf(now)]
  return {
    added: [...fresh.keys()].filter((name) => !old.has(name)),
    removed: [...old.keys()].filter((name) => !fresh.has(name)),
    changed: [...fresh.keys()].filter((name) => old.has(name) && old.get(name) !== fresh.get(name)),
  }
}

/** What a model is told of each tool; the names we give it are no part of it. */
function definitionsOf(tools: readonly ToolEntry[]): ReadonlyMap<McpToolName, string> {
  return new Map(tools.map((tool) => [nameOf(tool), JSON.stringify([tool.title, tool.description, tool.inputSchema])]))
}
