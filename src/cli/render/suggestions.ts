import type { ToolEntry } from '../../hub/api.ts'
import { isSchemaObject } from '../../hub/catalogue/schema-ref.ts'
import { requiredNames } from '../../hub/catalogue/schema-type.ts'
import type { GlobalFlags } from '../command.ts'
import { exampleCall, examplePrompt, shellQuote } from './example.ts'
import type { ServerGroup } from './server-group.ts'

/** Up to three commands that work with this catalogue and change nothing. */
export function suggestions(
  groups: readonly ServerGroup[],
  flags: Pick<GlobalFlags, 'config' | 'stdio' | 'url'>,
): readonly string[] {
  const tools = groups.flatMap((group) => group.tools)
  const prompt = groups.flatMap((group) => group.prompts)[0]
  const safe = safestTool(tools)
  const shown = safe ?? tools[0]
  const largest = [...groups].sort((a, b) => b.tools.length - a.tools.length)[0]
  const commands = [
    ...(shown === undefined || largest === undefined ? [] : [`capstan list ${largest.status.name}`]),
    ...(shown === undefined ? [] : [`capstan inspect ${shellQuote(shown.id)}`]),
    ...(safe === undefined ? [] : [exampleCall(safe)]),
    ...(prompt === undefined ? [] : [examplePrompt(prompt)]),
    'capstan list --tokens',
    'capstan doctor',
  ]
  const usable = tools.length > 0 || prompt !== undefined ? commands : ['capstan doctor', 'capstan config']
  return usable.slice(0, 3).map((words) => [words, ...sourceFlags(flags)].join(' '))
}

/** The flags that say where the servers come from: without them a suggested command would look elsewhere. */
export function sourceFlags({ config, stdio, url }: Pick<GlobalFlags, 'config' | 'stdio' | 'url'>): readonly string[] {
  return [
    ...config.map((file) => `--config ${shellQuote(file)}`),
    ...(stdio === undefined ? [] : [`--stdio ${shellQuote(stdio)}`]),
    ...(url === undefined ? [] : [`--url ${shellQuote(url)}`]),
  ]
}

function safestTool(tools: readonly ToolEntry[]): ToolEntry | undefined {
  return tools
    .filter((tool) => tool.annotations?.readOnlyHint === true)
    .map((tool) => ({ tool, effort: effort(tool) }))
    .sort((a, b) => a.effort - b.effort)[0]?.tool
}

/** One free text shows best what a call is; no argument at all is next; a path or an id that must exist comes last. */
function effort(tool: ToolEntry): number {
  const required = requiredNames(tool.inputSchema)
  const [only] = required
  if (only === undefined) return 1
  const properties = isSchemaObject(tool.inputSchema['properties']) ? tool.inputSchema['properties'] : {}
  const schema = properties[only]
  const isFreeText =
    isSchemaObject(schema) && schema['type'] === 'string' && /message|text|query|topic|word/i.test(only)
  return required.length === 1 && isFreeText ? 0 : 1 + required.length
}
