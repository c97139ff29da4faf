import type { Prompt, Resource, ResourceTemplateType, Tool } from '@modelcontextprotocol/server'
import type { Catalogue, PromptEntry, ToolEntry } from '../hub/api.ts'
import { plainModelName } from '../hub/catalogue/names.ts'
import { toolsTokens } from '../hub/catalogue/tokens.ts'
import type { Mode } from './caller.ts'
import { isObject } from '../json.ts'

/** What `auto` allows the declarations of all tools to cost. */
const inlineTokens = 10_000

/** Decided once for a client, so that what it has told its model stays true. */
export function chooseMode(mode: Mode, { tools }: Pick<Catalogue, 'tools'>): Exclude<Mode, 'auto'> {
  if (mode !== 'auto') return mode
  return toolsTokens(tools) < inlineTokens ? 'all' : 'meta'
}

/** Whether names carry their server's: always, unless there is only one server and it was wished otherwise. */
export interface Naming {
  readonly hasPrefix: boolean
}

export function toolName(tool: ToolEntry, { hasPrefix }: Naming): string {
  return hasPrefix ? tool.modelName : tool.tool
}

/** A prompt is named as a tool of the same server would be. */
export function promptName({ server, prompt }: PromptEntry, { hasPrefix }: Naming): string {
  return hasPrefix ? plainModelName({ server, tool: prompt }) : prompt
}

/** A tool as clients see it: the server's own definition under our name. */
export function toolDefinition(tool: ToolEntry, naming: Naming, trouble: string | undefined): Tool {
  const { title, description, inputSchema, outputSchema, annotations, more = {} } = tool
  const { _meta: meta, ...rest } = more
  const mark = trouble === undefined ? {} : { 'capstan/trouble': trouble }
  const marked = { ...(isObject(meta) ? meta : {}), ...mark }
  return {
    ...rest,
    name: toolName(tool, naming),
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    // A server's schema is passed on as it came; MCP asks only that it describes an object.
    inputSchema: { ...inputSchema, type: 'object' },
    ...(outputSchema === undefined ? {} : { outputSchema: outputSchema }),
    ...(annotations === undefined ? {} : { annotations }),
    ...(Object.keys(marked).length === 0 ? {} : { _meta: marked }),
  }
}

export function promptDefinition(prompt: PromptEntry, naming: Naming): Prompt {
  const { server: _server, prompt: _prompt, id: _id, arguments: args, ...rest } = prompt
  return { ...rest, name: promptName(prompt, naming), ...(args === undefined ? {} : { arguments: [...args] }) }
}

/** Of resources with the same URI only the first is there: a URI is all that a client can name. */
export function resourceDefinitions({ resources }: Catalogue): Resource[] {
  const first = new Map(resources.toReversed().map((resource) => [resource.uri, resource]))
  return resources
    .filter((resource) => first.get(resource.uri) === resource)
    .map(({ server: _server, ...resource }) => resource)
}

export function templateDefinitions({ templates }: Catalogue): ResourceTemplateType[] {
  const first = new Map(templates.toReversed().map((template) => [template.uriTemplate, template]))
  return templates
    .filter((template) => first.get(template.uriTemplate) === template)
    .map(({ server: _server, ...template }) => template)
}
