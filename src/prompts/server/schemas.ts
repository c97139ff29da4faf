import type { JSONValue } from '@modelcontextprotocol/server'

type Properties = Record<string, JSONValue>
/** An alias, because an interface is no JSON value to TypeScript. */
export type ObjectSchema = {
  type: 'object'
  properties: Properties
  required: string[]
  additionalProperties: boolean
}

/** An object with these fields; those with a `?` at the end of their name may be absent. */
export function object(fields: Properties): ObjectSchema {
  const named = Object.entries(fields).map(([name, schema]) => [name.replace(/\?$/, ''), schema] as const)
  return {
    type: 'object',
    properties: Object.fromEntries(named),
    required: Object.keys(fields).filter((name) => !name.endsWith('?')),
    additionalProperties: false,
  }
}

export function text(description?: string): JSONValue {
  return { type: 'string', ...(description === undefined ? {} : { description }) }
}

export function integer(description: string, minimum = 1): JSONValue {
  return { type: 'integer', minimum, description }
}

export function flag(description: string): JSONValue {
  return { type: 'boolean', description }
}

export function choice(values: readonly string[], description: string): JSONValue {
  return { type: 'string', enum: [...values], description }
}

export function list(items: JSONValue, description?: string): JSONValue {
  return { type: 'array', items, ...(description === undefined ? {} : { description }) }
}

export const promptName = text('Its name: small letters, digits and underscores.')
export const revisionOrLabel: JSONValue = {
  type: ['integer', 'string'],
  description: 'A revision number, or a label such as production.',
}

export const argumentSchema = object({
  name: text(),
  'description?': text(),
  'required?': flag('False where it is absent.'),
  'type?': choice(
    ['string', 'number', 'integer', 'boolean'],
    'Which values are accepted; they come as text all the same.',
  ),
  'default?': text('What counts when it is not given.'),
  'enum?': list(text(), 'The only values it may have.'),
  'examples?': list(text(), 'Values to suggest.'),
})

/** Messages and their content stay as MCP has them, so nothing more is said of them here. */
export const messageSchema: JSONValue = {
  type: 'object',
  properties: { role: { type: 'string', enum: ['user', 'assistant'] }, content: { type: 'object' } },
  required: ['role', 'content'],
}

const stepSchema = object({ title: text(), 'text?': text() })

/** What a prompt consists of besides its name. */
export const promptFields: Properties = {
  'title?': text('For people; any script.'),
  'description?': text('One sentence: what one gets. Search and agents go by it.'),
  'text?': text('The text of a prompt that is one message of the user. {{name}} stands for the argument of that name.'),
  'messages?': list(messageSchema, 'Instead of text: the messages, as MCP has them.'),
  'arguments?': list(argumentSchema, 'What {{name}} in the text may stand for.'),
  'steps?': list(stepSchema, 'What makes it a runbook: the steps to go through, in order.'),
  'tags?': list(text(), 'Words to find it by; language/go is found by language too.'),
  'template?': choice(['plus'], 'plus turns on {{#if name}}…{{else}}…{{/if}} and {{> other_prompt}}.'),
}

/** What every tool that changes something answers. */
export const changeSchema = object({
  status: choice(['saved', 'proposed'], 'Whether it is done, or waits for a person to allow it.'),
  name: text(),
  'revision?': integer('The revision it has now.'),
  message: text(),
})
