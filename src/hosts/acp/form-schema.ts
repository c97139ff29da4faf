import type { ElicitationContentValue, ElicitationPropertySchema, ElicitationSchema } from '@agentclientprotocol/sdk'
import type { Form, FormField } from '../../commands/outcome.ts'

/** The form of a command as an editor shows it. */
export function formSchema({ title, description, fields }: Form): ElicitationSchema {
  return {
    type: 'object',
    title,
    ...(description === undefined ? {} : { description }),
    properties: Object.fromEntries(fields.map((field) => [field.name, propertyOf(field)])),
    required: fields.filter(({ required }) => required).map(({ name }) => name),
  }
}

function propertyOf(field: FormField): ElicitationPropertySchema {
  const { name, title = name, description, choices = [], default: preset } = field
  const about = { title, ...(description === undefined ? {} : { description }) }
  const values = choices.map(({ value }) => value)
  switch (field.kind) {
    case 'number':
    case 'integer':
    case 'boolean':
      return { type: field.kind, ...about }
    case 'choices':
      return { type: 'array', items: { type: 'string', enum: values }, ...about }
    case 'choice':
      return { type: 'string', enum: values, ...about, ...(preset === undefined ? {} : { default: preset }) }
    case 'text':
      return { type: 'string', ...about, ...(preset === undefined ? {} : { default: preset }) }
    default:
      return field.kind satisfies never
  }
}

/** What was filled in, as it would have been typed. */
export function formValues(
  content: Readonly<Record<string, ElicitationContentValue>>,
): Readonly<Record<string, string>> {
  const typed = (value: ElicitationContentValue) => (Array.isArray(value) ? value.join('\n') : String(value))
  return Object.fromEntries(Object.entries(content).map(([name, value]) => [name, typed(value)]))
}
