import type { JsonSchema, SearchField, ToolEntry } from '../api.ts'
import { followRef, isSchemaObject } from '../catalogue/schema-ref.ts'

/** Where in a tool a word may stand, the most telling first. */
export const searchFields = [
  'name',
  'title',
  'server',
  'description',
  'arguments',
  'details',
] as const satisfies readonly SearchField[]

/** What a tool is found by. `arguments` are their names, `details` their descriptions and allowed values. */
export function textOf(tool: ToolEntry): Readonly<Record<SearchField, string>> {
  const texts: ArgumentTexts = { names: [], details: [], budget: maxSchemas }
  gather(tool.inputSchema, texts, { root: tool.inputSchema, depth: 0 })
  return {
    name: tool.tool,
    title: tool.title ?? tool.annotations?.title ?? '',
    server: tool.server,
    description: (tool.description ?? '').slice(0, maxText),
    arguments: texts.names.join(' '),
    details: texts.details.join(' ').slice(0, maxText),
  }
}

// A definition may be of any size and its references may be recursive; what is beyond these limits helps nobody to find it.
const maxText = 4_000
const maxSchemas = 200
const maxDepth = 4

interface ArgumentTexts {
  readonly names: string[]
  readonly details: string[]
  budget: number
}

interface Place {
  readonly root: JsonSchema
  readonly depth: number
}

function gather(schema: unknown, texts: ArgumentTexts, { root, depth }: Place): void {
  const found = followRef(schema, root)
  if (found === undefined || depth > maxDepth || texts.budget-- <= 0) return
  const inner = { root, depth: depth + 1 }
  if (depth > 0 && typeof found['description'] === 'string') texts.details.push(found['description'])
  if (Array.isArray(found['enum'])) texts.details.push(...found['enum'].filter((value) => typeof value === 'string'))
  for (const [name, property] of Object.entries(isSchemaObject(found['properties']) ? found['properties'] : {})) {
    texts.names.push(name)
    gather(property, texts, inner)
  }
  for (const part of [found['items'], ...alternatives(found)]) gather(part, texts, inner)
}

function alternatives(schema: JsonSchema): readonly unknown[] {
  return ['anyOf', 'oneOf', 'allOf'].flatMap((keyword): readonly unknown[] => {
    const list: unknown = schema[keyword]
    return Array.isArray(list) ? list : []
  })
}
