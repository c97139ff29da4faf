import type { JsonSchema } from '../../hub/values.ts'
import type { ToolDeclaration } from '../model.ts'
import { callInXml } from './call-in-xml.ts'
import { isElementName } from './parse-call.ts'
import { resultElement } from './scanner.ts'
import { asRecord, typesOf } from './type-parameters.ts'

/** The chapter of the instructions that teaches a model the dialect and documents every tool. */
export function describeTools(tools: readonly ToolDeclaration[]): string {
  return [rules, ...tools.map(describeTool)].join('\n\n')
}

const rules = `# Calling tools

You call a tool by writing it as an XML element in your reply, with one element for each parameter:

<tool_name>
<parameter>value</parameter>
</tool_name>

Rules
- The element's name is the exact name of the tool; each parameter has its own element, without attributes.
- Numbers, true and false are written plainly; lists and objects as JSON.
- Text is written as it is. Where it holds tags, wrap it in <![CDATA[ and ]]>, or write &lt; for < and &amp; for &.
- You may write several calls in one reply; they run together. After your last call, end your reply and wait.
- Inside of code blocks nothing is called.
- Results come in the next message, as <${resultElement} tool="tool_name" status="done">…</${resultElement}>; the status is done or failed. You never write one yourself. In them < is written as &lt; and & as &amp;.
- A call with a mistake comes back as failed, with the reason: write it again, corrected.

# Tools`

function describeTool({ name, description, schema }: ToolDeclaration): string {
  const properties = Object.entries(asRecord(schema['properties']) ?? {}).map(([key, value]) => ({
    key,
    schema: asRecord(value) ?? {},
  }))
  const needed = new Set(Array.isArray(schema['required']) ? schema['required'] : [])
  const required = properties.filter(({ key }) => needed.has(key))
  const optional = properties.filter(({ key }) => !needed.has(key))
  return [
    `## ${name}`,
    ...(description === '' ? [] : [description]),
    ...parameterList('Required parameters', required),
    ...parameterList('Optional parameters', optional),
    ...(properties.length === 0 ? ['No parameters.'] : []),
    ...(properties.every(({ key }) => isElementName(key))
      ? []
      : ['Write the parameters of this tool as one JSON object.']),
    'Example:',
    exampleOf(name, required.length > 0 ? required : optional.slice(0, 1)),
  ].join('\n')
}

interface Property {
  readonly key: string
  readonly schema: JsonSchema
}

function parameterList(heading: string, properties: readonly Property[]): readonly string[] {
  if (properties.length === 0) return []
  return [`${heading}:`, ...properties.map(({ key, schema }) => `- ${key} (${kindOf(schema)})${wordsOf(schema)}`)]
}

function kindOf(schema: JsonSchema): string {
  const values = schema['enum']
  if (Array.isArray(values)) return `one of ${values.map((value) => JSON.stringify(value)).join(', ')}`
  const types = typesOf(schema)
  if (types.length === 0) return 'any'
  if (!types.includes('array') && !types.includes('object')) return types.join(' or ')
  return `${types.join(' or ')}, as JSON of this schema: ${JSON.stringify(schema)}`
}

function wordsOf({ description }: JsonSchema): string {
  return typeof description === 'string' && description !== '' ? `: ${description}` : ''
}

function exampleOf(name: string, properties: readonly Property[]): string {
  return callInXml(name, Object.fromEntries(properties.map(({ key, schema }) => [key, exampleValue(schema)])))
}

function exampleValue(schema: JsonSchema): unknown {
  const offered = [schema['default'], ...listOf(schema['examples']), ...listOf(schema['enum'])]
  const value = offered.find((item) => item !== undefined)
  if (value !== undefined) return value
  const [type = 'string'] = typesOf(schema)
  const examples: Readonly<Record<string, unknown>> = { integer: 1, number: 1.5, boolean: true, array: [], object: {} }
  return examples[type] ?? 'text'
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
