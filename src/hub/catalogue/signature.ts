import type { JsonSchema, ToolEntry } from '../api.ts'
import { firstSentence } from './first-sentence.ts'
import { isSchemaObject } from './schema-ref.ts'
import { type Layout, propertyKey, requiredNames, schemaType } from './schema-type.ts'

type Described = Pick<ToolEntry, 'tool' | 'inputSchema' | 'outputSchema'>

/** A tool as a TypeScript method, for people: `echo(args: { message: string }): Promise<unknown>`. */
export function signature(tool: Described): string {
  const result = tool.outputSchema === undefined ? 'unknown' : schemaType(tool.outputSchema)
  return `${propertyKey(tool.tool)}(${parameter('args', tool.inputSchema, 'spaced')}): Promise<${result}>`
}

/**
 * Tools as one TypeScript declaration for models: a line per tool, its first sentence as the comment. About a seventh of
 * what the raw definitions cost, so results are left as `R`; `inspect` says what a tool returns. With the other functions that a
 * snippet sees, so that a file can be written against it.
 */
export function declareTools(tools: readonly ToolEntry[]): string {
  const servers = Map.groupBy(tools, (tool) => tool.server)
  const groups = [...servers].map(
    ([server, own]) => `${propertyKey(server)}:Raw<{\n${own.map(declareTool).join('')}}>\n`,
  )
  return `${shared}declare const tools:{\n${groups.join('')}}\n${around}`
}

const shared = 'type R=Promise<unknown>\ntype Raw<T>={[K in keyof T]:T[K]&{raw:T[K]}}\n'
const around = `declare function search(q:string,o?:{limit?:number,servers?:string[]}):Promise<{name:string,description:string,signature:string,score:number}[]>
declare function inspect(name:string):R
`

function declareTool(tool: ToolEntry): string {
  // U+2028 and U+2029 end a line in TypeScript; first-sentence has turned them and all other line ends into blanks.
  const comment = firstSentence(tool.description ?? tool.title)
  const method = `${propertyKey(tool.tool)}(${parameter('a', tool.inputSchema, 'compact')}):R`
  return comment === '' ? `${method}\n` : `${method} // ${comment}\n`
}

function parameter(name: string, schema: JsonSchema, layout: Layout): string {
  const type = schemaType(schema, { layout })
  if (type === '{}' || takesNothing(schema)) return ''
  const isOptional = requiredNames(schema).length === 0 && isPlainObject(schema)
  return `${name}${isOptional ? '?' : ''}${layout === 'compact' ? ':' : ': '}${type}`
}

/** Only then does its own `required` say everything about what must be given. */
function isPlainObject(schema: JsonSchema): boolean {
  const isCombined = ['allOf', 'anyOf', 'oneOf', '$ref'].some((keyword) => keyword in schema)
  return isSchemaObject(schema['properties']) && !isCombined
}

function takesNothing(schema: JsonSchema): boolean {
  return Object.keys(schema).every((keyword) => keyword === 'type' || keyword === '$schema')
}
