import { matchesKey, truncateToWidth, type TUI } from '@earendil-works/pi-tui'
import type { Candidate } from '../../commands/command.ts'
import type { FormField } from '../../commands/outcome.ts'
import { noSuggestions, type Suggestions } from '../../commands/suggestions.ts'
import { plainLine, plainText } from '../../policy/plain-text.ts'
import { wrapped } from '../blocks/drawn.ts'
import type { Palette } from '../paint.ts'
import { PromptEditor } from '../prompt-editor.ts'
import { type Panel, restFirst } from './panel.ts'

export type FormValues = Readonly<Record<string, string>>

export interface FormQuestion {
  readonly title: string
  readonly description?: string | undefined
  /** In the order in which they are asked. */
  readonly fields: readonly FormField[]
  /** What stands in them, or beside them, already. */
  readonly values: FormValues
  readonly check: (field: FormField, text: string) => string | undefined
  readonly complete: (field: FormField, options: CompleteOptions) => Promise<readonly Candidate[]>
  /** What is typed is not shown. */
  readonly isHidden?: boolean
  /** It is all about the list: Enter takes its first item where nothing is typed, and Esc leaves at once. */
  readonly isPicker?: boolean
  /** What Esc does, in words. */
  readonly escape: string
  readonly tui: TUI
  readonly paint: Palette
  readonly onFilled: (values: FormValues) => void
  readonly onEscape: () => void
  readonly onKey?: (key: string) => boolean
}

export interface CompleteOptions {
  readonly typed: string
  readonly values: FormValues
  readonly signal: AbortSignal
}

/** Asks for the fields of a form, one at a time, each with the menu that the editor has. */
export function formPanel(question: FormQuestion): Panel {
  const { fields, paint, tui, isPicker = false } = question
  let values = question.values
  let at = 0
  let opened = ''
  let problem: string | undefined
  let isActive = false
  const editor = new PromptEditor({
    tui,
    paint,
    suggest,
    onKey: pressed,
    isSubmittedByChoice: true,
    isChoice: () => isChoice(fields[at]),
    isPicker,
    isHidden: question.isHidden ?? false,
    menuRows: 6,
  })
  editor.onSubmit = submitted
  show()

  return {
    render(width) {
      const field = fields[at]
      const counter = fields.length > 1 ? ` · ${at + 1} of ${fields.length}` : ''
      return [
        paint.name(truncateToWidth(`${plainLine(question.title)}${counter}`, width, '…')),
        ...(question.description === undefined ? [] : aboutLines(question.description, width)),
        ...(field === undefined ? [] : fieldLines(field, width, paint)),
        ...(problem === undefined ? [] : wrapped(plainLine(problem), width, '✗ ').map(paint.bad)),
        ...editor.render(width),
        paint.faint(truncateToWidth(isActive ? manual(field) : restFirst, width, '…')),
      ]
    },
    setActive(next) {
      isActive = next
      editor.focused = next
    },
    handleInput: (key) => editor.handleInput(key),
    invalidate() {},
  }

  function manual(field: FormField | undefined): string {
    return [
      field?.required === false ? 'Enter goes on, also without it' : 'Enter goes on',
      ...(at > 0 ? ['Shift-Tab goes back a field'] : []),
      `Esc ${editor.escapesMenu() ? 'closes the list' : question.escape}`,
    ].join(' · ')
  }

  function aboutLines(description: string, width: number): readonly string[] {
    return wrapped(plainText(description), width).slice(0, 8)
  }

  async function suggest(text: string, _cursor: number, { signal }: { signal: AbortSignal }): Promise<Suggestions> {
    const field = fields[at]
    if (field === undefined) return noSuggestions(text.length)
    // Of several choices, the one behind the last comma is being typed.
    const from = field.kind === 'choices' ? (/^.*,\s*/su.exec(text)?.[0].length ?? 0) : 0
    // What stands there by itself hides no other choice.
    const typed = isChoice(field) && text === opened ? '' : text.slice(from)
    const given = text.slice(0, from).split(/\s*,\s*/u)
    const candidates = await question.complete(field, { typed, values, signal })
    const items = candidates
      .filter(({ value }) => from === 0 || !given.includes(value))
      .map(({ value, detail }) => ({
        key: `value:${value}`,
        kind: 'value' as const,
        label: value,
        insert: value,
        matches: [],
        ...(detail === undefined ? {} : { detail }),
      }))
    return { from, to: text.length, items, hasMore: false }
  }

  function pressed(key: string): boolean {
    if (matchesKey(key, 'escape')) question.onEscape()
    else if (matchesKey(key, 'shift+tab')) goBack()
    else return question.onKey?.(key) ?? false
    return true
  }

  function goBack(): void {
    if (at === 0) return
    keep(editor.getExpandedText())
    at -= 1
    show()
  }

  function submitted(text: string): void {
    const field = fields[at]
    if (field === undefined) return question.onFilled(values)
    problem = question.check(field, text)
    keep(text)
    if (problem === undefined) at += 1
    if (at === fields.length) question.onFilled(values)
    else show()
  }

  function keep(text: string): void {
    const name = fields[at]?.name
    if (name === undefined) return
    const { [name]: _old, ...others } = values
    values = text === '' ? others : { ...others, [name]: text }
  }

  /** Puts what a field holds into the editor. */
  function show(): void {
    const field = fields[at]
    opened = field === undefined ? '' : (values[field.name] ?? field.default ?? '')
    editor.replaceText(opened)
    editor.open()
  }
}

function isChoice(field: FormField | undefined): boolean {
  return field?.kind === 'boolean' || field?.kind === 'choice' || field?.kind === 'choices'
}

function fieldLines(field: FormField, width: number, paint: Palette): readonly string[] {
  const { name, title = name, description, required } = field
  const head = `${plainLine(title)} (${[kindWords[field.kind], required ? 'needed' : 'optional'].filter((word) => word !== '').join(', ')})`
  return [
    ...wrapped(head, width).map(paint.heading),
    ...(description === undefined ? [] : wrapped(plainText(description), width).slice(0, 6).map(paint.faint)),
  ]
}

const kindWords: Readonly<Record<FormField['kind'], string>> = {
  text: '',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  choice: 'one of these',
  choices: 'some of these, with commas',
}
