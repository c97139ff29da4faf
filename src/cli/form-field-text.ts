import { unreachable } from '../errors.ts'
import { rulesIn } from '../hub/asks/field-rules.ts'
import type { AskField } from '../hub/asks/form-fields.ts'
import { plainLine } from '../policy/plain-text.ts'

/** The choices of a field, numbered, with its description above; empty where there is nothing to show. */
export function choiceLines(field: AskField): string {
  const { name, title = name, description, choices = [] } = field
  const about = description === undefined ? [] : [`${plainLine(title)}: ${plainLine(description)}`]
  const lines = choices.map(({ value, title: label }, index) => {
    const mark = isNumbered(field) ? String(index + 1).padStart(3) : '  -'
    return `${mark}  ${plainLine(label ?? value)}${label === undefined || label === value ? '' : ` (${plainLine(value)})`}`
  })
  return [...about, ...lines].map((line) => `${line}\n`).join('')
}

/** The question for one field: its name, what it wants, and in brackets what Enter means. */
export function fieldPrompt(field: AskField, before: string | undefined): string {
  const { name, title = name, required, default: preset } = field
  const wants = [...kindWords(field), ...rulesIn(field.schema), ...(required ? [] : ['optional'])].map(plainLine)
  const text = before === undefined || before === '' ? preset : before
  const shown = text === undefined ? '' : ` [${plainLine(shownText(field, text))}]`
  return `${plainLine(title)}${wants.length === 0 ? '' : ` (${wants.join(', ')})`}${shown}:`
}

function kindWords(field: AskField): readonly string[] {
  const { kind, choices = [] } = field
  const range = `1-${choices.length}`
  switch (kind) {
    case 'number':
      return ['a number']
    case 'integer':
      return ['a whole number']
    case 'boolean':
      return ['yes or no']
    case 'choice':
      return [isNumbered(field) ? range : 'one of these']
    case 'choices':
      return [isNumbered(field) ? `some of ${range}, as in 1,2` : 'some of these, with commas']
    case 'text':
      return []
    default:
      return unreachable(kind)
  }
}

function shownText({ kind }: AskField, text: string): string {
  if (kind === 'boolean') return text === 'true' ? 'yes' : text === 'false' ? 'no' : text
  return kind === 'choices' ? text.split('\n').join(', ') : text
}

/** What a person typed, with the numbers of choices replaced by the choices. */
export function typedChoice(field: AskField, typed: string): string {
  const { kind, choices = [] } = field
  if (!isNumbered(field)) return typed
  const byNumber = (word: string) => choices[Number(word) - 1]?.value
  if (kind === 'choice') return byNumber(typed) ?? typed
  const words = typed.split(/[\s,]+/).filter((word) => word !== '')
  return words.every((word) => byNumber(word) !== undefined) ? words.map(byNumber).join('\n') : typed
}

/** Where choices are numbers themselves, numbers beside them would mean two things. */
function isNumbered({ choices = [] }: AskField): boolean {
  return choices.length > 0 && !choices.some(({ value, title = '' }) => /^\d+$/.test(value) || /^\d+$/.test(title))
}
