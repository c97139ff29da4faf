import { CapstanError, unreachable } from '../errors.ts'
import { fieldsOf, type Fields } from './fields.ts'
import { isPromptName } from './prompt-name.ts'
import type { EmbeddedResource, Prompt, PromptArgument, PromptContent, PromptMessage, PromptStep } from './prompt.ts'
import { isObject, type JsonObject } from '../json.ts'

/** Turns anything into a prompt, or says with `prompt_invalid` which field is wrong and how. */
export function readPrompt(value: unknown): Prompt {
  const fields = fieldsOf(value, { owner: 'A prompt', path: '' })
  const name = fields.text('name')
  if (!isPromptName(name)) throw badName(name)
  const prompt = promptOf(name, fieldsOf(value, { owner: `Prompt "${name}"`, path: '' }))
  checkBody(prompt)
  return prompt
}

/** The names of fields that a prompt has no use for, such as misspelt ones. */
export function unknownFieldsOf(value: unknown): readonly string[] {
  return isObject(value) ? Object.keys(value).filter((key) => !knownFields.has(key)) : []
}

const knownFields: ReadonlySet<string> = new Set(
  'name title description arguments messages steps tags template meta created updated'.split(' '),
)

function promptOf(name: string, fields: Fields): Prompt {
  return {
    name,
    ...fields.optionalText('title'),
    ...fields.optionalText('description'),
    arguments: fields.items('arguments', readArgument),
    messages: fields.items('messages', readMessage),
    ...(fields.has('steps') ? { steps: fields.items('steps', readStep) } : {}),
    tags: tagsOf(fields),
    ...fields.optionalChoice('template', ['plus']),
    ...(fields.has('meta') ? { meta: metaOf(fields) } : {}),
    ...fields.optionalDate('created'),
    ...fields.optionalDate('updated'),
  }
}

function checkBody(prompt: Prompt): void {
  const owner = `Prompt "${prompt.name}"`
  if (prompt.messages.length === 0 && (prompt.steps ?? []).length === 0) {
    throw new CapstanError('prompt_invalid', `${owner} has neither messages nor steps.`, {
      next: 'Give it at least one message: {"role": "user", "content": {"type": "text", "text": "…"}}.',
    })
  }
  const names = prompt.arguments.map((argument) => argument.name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) {
    throw new CapstanError('prompt_invalid', `${owner} has two arguments called "${twice}".`, {
      next: 'Rename one of them.',
    })
  }
}

function readArgument(fields: Fields): PromptArgument {
  const argument: PromptArgument = {
    name: fields.textLike(
      'name',
      argumentName,
      'a name of letters, digits, "_", "." and "-" that begins with a letter',
    ),
    ...fields.optionalText('description'),
    required: fields.flag('required', false),
    ...fields.optionalChoice('type', ['string', 'number', 'integer', 'boolean']),
    ...fields.optionalScalar('default'),
    ...fields.optionalScalars('enum'),
    ...fields.optionalScalars('examples'),
  }
  if (argument.enum?.length === 0) throw fields.wrong('enum', 'a list of at least one value', 'an empty list')
  if (argument.default !== undefined && argument.enum?.includes(argument.default) === false) {
    throw fields.wrong('default', `one of ${argument.enum.join(', ')}`, `"${argument.default}"`)
  }
  return argument
}

const argumentName = /^[\p{L}_][\p{L}\p{M}\p{N}_.-]{0,127}$/u

function readMessage(fields: Fields): PromptMessage {
  return { role: fields.choice('role', ['user', 'assistant']), content: contentOf(fields) }
}

/** People who write a line by hand may give the text alone. */
function contentOf(fields: Fields): PromptContent {
  if (fields.isText('content')) return { type: 'text', text: fields.text('content') }
  const content = fields.within('content')
  const type = content.choice('type', ['text', 'image', 'audio', 'resource', 'resource_link'])
  switch (type) {
    case 'text':
      return { type, text: content.text('text') }
    case 'image':
    case 'audio':
      return { type, data: content.text('data'), mimeType: content.text('mimeType') }
    case 'resource':
      return { type, resource: resourceOf(content.within('resource')) }
    case 'resource_link':
      return {
        type,
        uri: content.text('uri'),
        name: content.text('name'),
        ...content.optionalText('description'),
        ...content.optionalText('mimeType'),
      }
    default:
      return unreachable(type)
  }
}

function resourceOf(fields: Fields): EmbeddedResource {
  const common = { uri: fields.text('uri'), ...fields.optionalText('mimeType') }
  return fields.has('blob') ? { ...common, blob: fields.text('blob') } : { ...common, text: fields.text('text') }
}

function readStep(fields: Fields): PromptStep {
  return { title: fields.text('title'), ...fields.optionalText('text') }
}

function tagsOf(fields: Fields): readonly string[] {
  const tags = fields.texts('tags').map((tag) =>
    tag
      .trim()
      .replaceAll(/\s*\/+\s*/g, '/')
      .replaceAll(/^\/|\/$/g, ''),
  )
  const empty = tags.indexOf('')
  if (empty !== -1) throw fields.wrong(`tags[${empty}]`, 'a word, or words with "/" between them', 'empty')
  return [...new Set(tags)]
}

function metaOf(fields: Fields): JsonObject {
  return fields.json('meta')
}

function badName(name: string): CapstanError {
  return new CapstanError(
    'prompt_invalid',
    `"${name.slice(0, 80)}" cannot be the name of a prompt: names have 1 to 64 of the characters a-z, 0-9 and _.`,
    { next: 'Choose such a name; the title may hold anything.' },
  )
}
