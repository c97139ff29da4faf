import { unreachable } from '../../../errors.ts'
import type { PromptArgument, PromptContent, PromptMessage } from '../../../prompts/prompt.ts'
import type { StoredPrompt } from '../../../prompts/store.ts'
import type { Io } from '../../command.ts'
import { plainLine, plainText } from '../../../policy/plain-text.ts'
import { columnsFor, styleFor, type Style } from '../../render/style.ts'
import { paragraph, renderTable } from '../../render/table.ts'

/** One prompt as people read it: heading, arguments, texts. */
export function promptPage(stored: StoredPrompt, io: Io): string {
  const { prompt } = stored
  const style = styleFor(io)
  const columns = columnsFor(io)
  const title = prompt.title === undefined ? '' : `  ${plainLine(prompt.title)}`
  const parts = [
    `${style.heading(prompt.name)}${title}\n`,
    prompt.description ? paragraph(plainText(prompt.description), { columns }) : '',
    `\n${renderTable(facts(stored, style), { columns })}`,
    prompt.arguments.length === 0
      ? ''
      : `\nArguments\n${renderTable(
          prompt.arguments.map((one) => argumentRow(one, style)),
          { columns, indent: 2 },
        )}`,
    ...prompt.messages.map(({ role, content }) => `\n${style.heading(`[${role}]`)}\n${contentText(content)}\n`),
    stepsText(stored, style),
  ]
  return parts.join('')
}

/** Rendered messages: a single one bare, so that it can be piped; several under their roles. */
export function messagesText(messages: readonly PromptMessage[], io: Io): string {
  const style = styleFor(io)
  const [only, ...more] = messages
  if (only !== undefined && more.length === 0) return `${contentText(only.content)}\n`
  return messages.map(({ role, content }) => `${style.heading(`[${role}]`)}\n${contentText(content)}\n`).join('\n')
}

function facts({ prompt, layer, revision, labels, overrides }: StoredPrompt, style: Style) {
  const pointed = Object.entries(labels).map(([label, at]) => (at === revision ? label : `${label} (${at})`))
  const rows = [
    ['layer', overrides.length === 0 ? layer : `${layer}, instead of that of ${overrides.join(', ')}`],
    ['revision', [String(revision), ...pointed].join(', ')],
    ['tags', prompt.tags.join(', ')],
    ['changed', prompt.updated ?? ''],
    ['template', prompt.template === undefined ? '' : `${prompt.template}: {{#if …}} and {{> …}} mean something`],
  ]
  return rows
    .filter(([, value]) => value !== '')
    .map(([name = '', value = '']) => [{ text: name, paint: style.faint }, plainLine(value)])
}

function argumentRow(argument: PromptArgument, style: Style) {
  const { name, required, type, description = '', examples = [] } = argument
  const notes = [
    ...(type === undefined || type === 'string' ? [] : [`${type}.`]),
    ...(description === '' ? [] : [description.replace(/[^.!?]$/, '$&.')]),
    ...(argument.enum === undefined ? [] : [`One of: ${argument.enum.join(', ')}.`]),
    ...(argument.default === undefined ? [] : [`Else: ${argument.default}.`]),
    ...(examples.length === 0 ? [] : [`Such as: ${examples.join(', ')}.`]),
  ]
  return [
    { text: plainLine(name), paint: style.name },
    { text: required && argument.default === undefined ? 'required' : 'optional', paint: style.faint },
    plainLine(notes.join(' ')),
  ]
}

function stepsText({ prompt: { steps = [] } }: StoredPrompt, style: Style): string {
  if (steps.length === 0) return ''
  const texts = steps.map(({ title, text = '' }, at) => {
    const body = text === '' ? '' : `\n${plainText(text).replaceAll(/^(?=.)/gm, '   ')}`
    return `${at + 1}. ${plainLine(title)}${body}\n`
  })
  return `\n${style.heading('Steps')}\n${texts.join('')}`
}

function contentText(content: PromptContent): string {
  switch (content.type) {
    case 'text':
      return plainText(content.text)
    case 'image':
    case 'audio':
      return `[${content.type}: ${plainLine(content.mimeType)}, ${content.data.length} characters of base64]`
    case 'resource':
      return 'text' in content.resource
        ? plainText(content.resource.text)
        : `[${plainLine(content.resource.uri)}: ${content.resource.blob.length} characters of base64]`
    case 'resource_link':
      return `[${plainLine(content.name)}: ${plainLine(content.uri)}]`
    default:
      return unreachable(content)
  }
}
