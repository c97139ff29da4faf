import type { Catalogue, Hub, JsonSchema, ToolEntry, ToolResult } from '../../hub/api.ts'
import { firstSentence } from '../../hub/catalogue/first-sentence.ts'
import { findTool, serversNamedIn, toolsNamed } from '../../hub/catalogue/names.ts'
import { choicesOf } from '../../hub/catalogue/schema-choices.ts'
import { followRef, isSchemaObject } from '../../hub/catalogue/schema-ref.ts'
import { requiredNames } from '../../hub/catalogue/schema-type.ts'
import { typeArguments } from '../../hub/arguments/typed-arguments.ts'
import { contentPart } from '../../agent/content-parts.ts'
import { valueOf, type Command, type CommandArgument, type CommandArguments, type RunOptions } from '../command.ts'
import { notice, printed, text, type Block, type FieldKind, type Outcome } from '../outcome.ts'
import type { Workings } from '../workings.ts'
import { argument, completeFrom } from './arguments.ts'
import { waiting } from './look-commands.ts'

// No argument of a tool is called so, and nobody can type it as a key.
const toolSlot = '(tool)'

/** `/call TOOL key=value…`: the arguments of the tool are those of the command. */
export function callCommand({ context: { hub }, catalogue }: Workings): Command {
  const tools = () =>
    catalogue.current().tools.map((tool) => ({ value: tool.id, detail: firstSentence(tool.description ?? tool.title) }))
  const first = argument(toolSlot, {
    title: 'tool',
    description: 'A tool, as server.tool',
    required: true,
    takesRest: false,
    complete: completeFrom(tools),
  })
  return {
    key: 'builtin:call',
    kind: 'builtin',
    name: 'call',
    summary: 'Call a tool yourself',
    usage: 'TOOL [KEY=VALUE…]',
    declare: (name) => declareCall(first, lookUp(catalogue.current(), name)),
    run: async (input, options) => {
      const tool = await reach(hub, valueOf(input, toolSlot) ?? '', { known: catalogue.current(), options })
      const typed = [...input.values].filter(([key]) => key !== toolSlot)
      const pairs = typed.flatMap(([key, values]) => values.map((value) => ({ key, value })))
      const { args, warnings } = typeArguments(tool, pairs, input.json ?? {})
      const { onProgress, onAsk } = options
      const result = await hub.call(tool, args, {
        ...waiting(options),
        ...(onProgress === undefined ? {} : { onProgress }),
        ...(onAsk === undefined ? {} : { onAsk }),
      })
      return callOutcome(result, tool, warnings)
    },
  }
}

function declareCall(first: CommandArgument, tool: ToolEntry | undefined): CommandArguments {
  if (tool === undefined) return { slots: [first], takesAnyKey: true }
  const root = tool.inputSchema
  const properties = isSchemaObject(root['properties']) ? root['properties'] : {}
  const required = requiredNames(root)
  const slots = Object.keys(properties).map((name) =>
    toolArgument(name, { schema: followRef(properties[name], root), root, required: required.includes(name) }),
  )
  // Where names are declared, another one is more likely text than an argument; --args can still give it.
  const about = { title: `/call ${tool.id}`, description: firstSentence(tool.description ?? tool.title) }
  return { slots: [first, ...slots], takesAnyKey: slots.length === 0, about }
}

interface Property {
  readonly schema: JsonSchema | undefined
  readonly root: JsonSchema
  readonly required: boolean
}

function toolArgument(name: string, { schema, root, required }: Property): CommandArgument {
  const choices = choicesOf(schema, root).map((value) => ({ value }))
  const { title, description, default: preset } = schema ?? {}
  const isList = schema?.['type'] === 'array'
  return {
    name,
    required,
    kind: kindOf(schema, choices.length > 0),
    isOfferedByName: true,
    isRepeatable: isList,
    ...(typeof title === 'string' ? { title } : {}),
    ...(typeof description === 'string' ? { description } : {}),
    ...(preset === undefined ? {} : { default: presetText(preset, choices.length > 0) }),
    ...(choices.length === 0 ? {} : { choices }),
  }
}

/** A default as it would be typed: several choices with commas. */
function presetText(preset: unknown, hasChoices: boolean): string {
  if (typeof preset === 'string') return preset
  return hasChoices && Array.isArray(preset)
    ? preset.map((value: unknown) => presetText(value, false)).join(', ')
    : JSON.stringify(preset)
}

function kindOf(schema: JsonSchema | undefined, hasChoices: boolean): FieldKind {
  const type = schema?.['type']
  if (type === 'boolean' || type === 'number' || type === 'integer') return type
  if (!hasChoices) return 'text'
  return type === 'array' ? 'choices' : 'choice'
}

/** Called at every key, so it must not look for names that are merely near. */
function lookUp(catalogue: Catalogue, name: string): ToolEntry | undefined {
  const found = toolsNamed(catalogue, name)
  return found.length === 1 ? found[0] : undefined
}

/** The tool of this name; servers that have not been heard of yet are asked before it is called unknown. */
async function reach(
  hub: Hub,
  name: string,
  { known, options }: { readonly known: Catalogue; readonly options: RunOptions },
): Promise<ToolEntry> {
  const found = lookUp(known, name)
  if (found !== undefined) return found
  const statuses = await hub.servers(waiting(options))
  const named = serversNamedIn(
    name,
    statuses.map((status) => status.name),
  )
  const servers = named.length === 0 ? {} : { servers: named }
  return findTool(await hub.catalogue({ kinds: ['tools'], ...servers, ...waiting(options) }), name)
}

function callOutcome(result: ToolResult, tool: ToolEntry, warnings: readonly string[]): Outcome {
  const content = result.content.map((block): Block => ({ kind: 'content', part: contentPart(block) }))
  const structured =
    result.structuredContent === undefined ? [] : [text(JSON.stringify(result.structuredContent, null, 2))]
  const said = [...warnings, ...(result.warnings ?? [])].map((warning) => notice(warning, 'warning'))
  const shown = content.length > 0 ? content : structured
  if (result.isError === true) return printed(...said, notice(`${tool.id} reported an error:`, 'error'), ...shown)
  return printed(...said, ...(shown.length > 0 ? shown : [notice(`${tool.id} is done and said nothing.`)]))
}
