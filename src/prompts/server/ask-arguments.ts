import type { PrimitiveSchemaDefinition } from '@modelcontextprotocol/server'
import { missingArguments } from '../argument-values.ts'
import type { ArgumentType, Prompt, PromptArgument } from '../prompt.ts'
import { badArguments } from './bad-arguments.ts'
import type { FormQuestion, ToolCall } from './tool.ts'

type Given = { readonly kind: 'complete'; readonly values: Readonly<Record<string, string>> } | FormQuestion

/** What was given, with what the person has added; or the form to show them. Where nobody can be asked, rendering says what is missing. */
export function askForArguments(
  prompt: Prompt,
  given: Readonly<Record<string, string>>,
  { answer, canAsk }: ToolCall,
): Given {
  const values = { ...given, ...textOf(answer?.action === 'accept' ? answer.content : undefined) }
  const missing = missingArguments(prompt, values)
  if (missing.length === 0 || !canAsk) return { kind: 'complete', values }
  if (answer !== undefined) {
    const names = missing.map(({ name }) => `"${name}"`).join(', ')
    throw badArguments(`Prompt "${prompt.name}" needs ${names}, and the person did not give it.`)
  }
  const message = `The prompt "${prompt.title ?? prompt.name}" needs ${missing.length === 1 ? 'a value' : 'values'}.`
  return { kind: 'form', message, schema: formFor(missing) }
}

function textOf(answers: Readonly<Record<string, unknown>> | undefined): Readonly<Record<string, string>> {
  const pairs = Object.entries(answers ?? {}).flatMap(([name, value]) =>
    ['string', 'number', 'boolean'].includes(typeof value) ? [[name, String(value)] as const] : [],
  )
  return Object.fromEntries(pairs)
}

function formFor(missing: readonly PromptArgument[]): FormQuestion['schema'] {
  return {
    type: 'object',
    properties: Object.fromEntries(missing.map((argument) => [argument.name, fieldFor(argument)])),
    required: missing.map(({ name }) => name),
  }
}

function fieldFor({ description, type = 'string', enum: choices }: PromptArgument): PrimitiveSchemaDefinition {
  const about = description === undefined ? {} : { description }
  return choices === undefined ? { ...fields[type], ...about } : { type: 'string', enum: [...choices], ...about }
}

const fields: Readonly<Record<ArgumentType, PrimitiveSchemaDefinition>> = {
  string: { type: 'string' },
  number: { type: 'number' },
  integer: { type: 'integer' },
  boolean: { type: 'boolean' },
}
