import type { ToolEntry } from '../../index.ts'
import { objectSchema, type ObjectSchema } from './object-schema.ts'

// These are handed to other SDKs, whose types know no `readonly`.

/** For the Messages API of Anthropic. */
export interface AnthropicTool {
  name: string
  description: string
  input_schema: ObjectSchema
}

/** For the Chat Completions API of OpenAI, and all that is compatible with it. */
export interface OpenAiTool {
  type: 'function'
  function: { name: string; description: string; parameters: ObjectSchema }
}

/** For the Responses API of OpenAI. */
export interface OpenAiResponsesTool {
  type: 'function'
  name: string
  description: string
  parameters: ObjectSchema
  strict: false
}

/** For the Gemini API of Google, one for all functions. */
export interface GoogleTool {
  functionDeclarations: { name: string; description: string; parametersJsonSchema?: ObjectSchema }[]
}

/** For anything else: names and schemas that all of the others take. */
export interface GenericTool {
  name: string
  description: string
  inputSchema: ObjectSchema
}

/** What each provider wants as its `tools`. */
export interface ProviderTools {
  anthropic: AnthropicTool[]
  openai: OpenAiTool[]
  'openai-responses': OpenAiResponsesTool[]
  google: GoogleTool[]
  generic: GenericTool[]
}

export type Provider = keyof ProviderTools

export type NamedTool = readonly [name: string, tool: ToolEntry]

/** By provider: the definitions of tools in its own shape. */
export const defineTools: { readonly [P in Provider]: (tools: readonly NamedTool[]) => ProviderTools[P] } = {
  anthropic: (tools) =>
    tools.map(([name, tool]) => ({ name, description: descriptionOf(tool), input_schema: parametersOf(tool) })),
  openai: (tools) =>
    tools.map(([name, tool]) => {
      const description = shortened(descriptionOf(tool))
      return { type: 'function', function: { name, description, parameters: parametersOf(tool) } }
    }),
  'openai-responses': (tools) =>
    tools.map(([name, tool]) => ({
      type: 'function',
      name,
      description: shortened(descriptionOf(tool)),
      parameters: parametersOf(tool),
      // On unless it is said, and then most schemas of servers are refused.
      strict: false,
    })),
  google: (tools) => {
    const functionDeclarations = tools.map(([name, tool]) => ({
      name,
      description: descriptionOf(tool),
      ...parametersForGoogle(tool),
    }))
    return functionDeclarations.length === 0 ? [] : [{ functionDeclarations }]
  },
  generic: (tools) =>
    tools.map(([name, tool]) => ({ name, description: descriptionOf(tool), inputSchema: parametersOf(tool) })),
}

function descriptionOf({ description, title, annotations, tool }: ToolEntry): string {
  return description ?? title ?? annotations?.title ?? tool
}

function parametersOf({ inputSchema }: ToolEntry): ObjectSchema {
  return objectSchema(inputSchema)
}

/** A function without parameters has no schema there. */
function parametersForGoogle(tool: ToolEntry): { parametersJsonSchema?: ObjectSchema } {
  const schema = parametersOf(tool)
  return Object.keys(schema.properties).length === 0 ? {} : { parametersJsonSchema: schema }
}

/** OpenAI refuses a request for one description that is longer. */
function shortened(text: string, longest = 1024): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}
