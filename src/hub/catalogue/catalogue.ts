import type {
  Catalogue,
  Coverage,
  JsonObject,
  ListDifference,
  ListKind,
  PromptEntry,
  ResourceEntry,
  TemplateEntry,
  ToolEntry,
} from '../api.ts'
import { modelNames, plainModelName } from './names.ts'
import { isObject } from '../../json.ts'

/** What a server's lists hold, by kind. */
export interface Lists {
  readonly tools: readonly ToolEntry[]
  readonly prompts: readonly PromptEntry[]
  readonly resources: readonly ResourceEntry[]
  readonly templates: readonly TemplateEntry[]
}

export const noLists: Lists = { tools: [], prompts: [], resources: [], templates: [] }

/** One catalogue of all servers. The order is that of the names, whichever server answered first. */
export function buildCatalogue(servers: readonly { readonly coverage: Coverage; readonly lists: Lists }[]): Catalogue {
  const tools = servers.flatMap(({ lists }) => lists.tools)
  const names = modelNames(tools)
  return {
    tools: sorted(
      tools.map((tool) => ({ ...tool, modelName: names.get(tool) ?? tool.modelName })),
      (tool) => tool.tool,
    ),
    prompts: sorted(
      servers.flatMap(({ lists }) => lists.prompts),
      (prompt) => prompt.prompt,
    ),
    resources: sorted(
      servers.flatMap(({ lists }) => lists.resources),
      (resource) => resource.uri,
    ),
    templates: sorted(
      servers.flatMap(({ lists }) => lists.templates),
      (template) => template.uriTemplate,
    ),
    servers: sorted(
      servers.map(({ coverage }) => coverage),
      () => '',
    ),
  }
}

function sorted<Entry extends { readonly server: string }>(
  entries: readonly Entry[],
  nameOf: (entry: Entry) => string,
): readonly Entry[] {
  return entries.toSorted((a, b) => compare(a.server, b.server) || compare(nameOf(a), nameOf(b)))
}

/** By code point, because an order that follows the person's locale would break prompt caches. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** The entries of one list as a server sent it. What cannot be used is left out, and `leftOut` says why. */
export function readList<Kind extends ListKind>(
  kind: Kind,
  server: string,
  items: readonly JsonObject[],
): { readonly entries: Lists[Kind]; readonly leftOut: readonly string[] } {
  const entries = new Map<string, Lists[ListKind][number]>()
  const leftOut: string[] = []
  for (const item of items) {
    const entry = readers[kind](server, item)
    if (entry === undefined) leftOut.push(`it has no name: ${JSON.stringify(item).slice(0, 200)}`)
    // The first one is what a server that looks its tools up by name would run.
    else if (entries.has(keyOf(entry))) leftOut.push(`there is another "${keyOf(entry)}" before it`)
    else entries.set(keyOf(entry), entry)
  }
  return { entries: [...entries.values()] as Lists[Kind], leftOut }
}

type Reader = (server: string, item: JsonObject) => Lists[ListKind][number] | undefined

const readers: Readonly<Record<ListKind, Reader>> = {
  tools: readTool,
  prompts: readPrompt,
  resources: readResource,
  templates: readTemplate,
}

function readTool(server: string, item: JsonObject): ToolEntry | undefined {
  const { name, title: _title, description: _description, inputSchema, outputSchema, annotations, ...more } = item
  if (typeof name !== 'string' || name === '') return undefined
  const tool = { server, tool: name }
  return {
    ...tool,
    id: `${server}.${name}`,
    modelName: plainModelName(tool),
    ...texts(item, 'title', 'description'),
    // A missing schema is a server's way to say "no arguments"; the specification asks for an object.
    inputSchema: isObject(inputSchema) ? inputSchema : { type: 'object' },
    ...(isObject(outputSchema) ? { outputSchema } : {}),
    ...(isObject(annotations) ? { annotations } : {}),
    ...(Object.keys(more).length === 0 ? {} : { more }),
  }
}

function readPrompt(server: string, item: JsonObject): PromptEntry | undefined {
  const { name, arguments: declared } = item
  if (typeof name !== 'string' || name === '') return undefined
  const args = Array.isArray(declared) ? declared.filter(isObject).flatMap(readArgument) : []
  return {
    server,
    prompt: name,
    id: `${server}:${name}`,
    ...texts(item, 'title', 'description'),
    ...(args.length === 0 ? {} : { arguments: args }),
  }
}

function readArgument(item: JsonObject): NonNullable<PromptEntry['arguments']> {
  const { name, required } = item
  if (typeof name !== 'string') return []
  return [{ name, ...texts(item, 'title', 'description'), ...(required === true ? { required } : {}) }]
}

function readResource(server: string, item: JsonObject): ResourceEntry | undefined {
  const { uri, name, size, annotations } = item
  if (typeof uri !== 'string') return undefined
  return {
    server,
    uri,
    name: typeof name === 'string' ? name : uri,
    ...texts(item, 'title', 'description', 'mimeType'),
    ...(typeof size === 'number' ? { size } : {}),
    ...(isObject(annotations) ? { annotations } : {}),
  }
}

function readTemplate(server: string, item: JsonObject): TemplateEntry | undefined {
  const { uriTemplate, name } = item
  if (typeof uriTemplate !== 'string') return undefined
  return {
    server,
    uriTemplate,
    name: typeof name === 'string' ? name : uriTemplate,
    ...texts(item, 'title', 'description', 'mimeType'),
  }
}

function texts<Field extends string>(item: JsonObject, ...fields: readonly Field[]): { [F in Field]?: string } {
  const present = fields.flatMap((field) => {
    const value = item[field]
    return typeof value === 'string' ? [[field, value] as const] : []
  })
  return Object.fromEntries(present) as { [F in Field]?: string }
}

/** What changed between two listings of one kind; undefined when nothing did. */
export function differenceOf<Kind extends ListKind>(
  kind: Kind,
  before: Lists[Kind],
  after: Lists[Kind],
): ListDifference | undefined {
  const old = new Map(before.map((entry) => [keyOf(entry), JSON.stringify(entry)]))
  const fresh = new Map(after.map((entry) => [keyOf(entry), JSON.stringify(entry)]))
  const added = [...fresh.keys()].filter((key) => !old.has(key))
  const removed = [...old.keys()].filter((key) => !fresh.has(key))
  const changed = [...fresh].filter(([key, text]) => old.has(key) && old.get(key) !== text).map(([key]) => key)
  return added.length + removed.length + changed.length === 0 ? undefined : { kind, added, removed, changed }
}

function keyOf(entry: Lists[ListKind][number]): string {
  if ('tool' in entry) return entry.tool
  if ('prompt' in entry) return entry.prompt
  return 'uri' in entry ? entry.uri : entry.uriTemplate
}
