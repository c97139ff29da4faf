import { expect, test } from 'vitest'
import { rank } from '../../src/commands/fuzzy.ts'
import type { FormField } from '../../src/commands/outcome.ts'
import { paletteFor } from '../../src/terminal/paint.ts'
import { formPanel, type FormQuestion, type FormValues } from '../../src/terminal/panels/form-panel.ts'
import { SessionTui } from '../../src/terminal/session-tui.ts'
import { makeTranscript } from '../../src/terminal/transcript.ts'
import { literalTerminal } from './literal-terminal.ts'
import { keys } from './session-place.ts'

const instruments = ['guitar', 'piano', 'violin']

/** A form with one field, and what is seen of it once its suggestions are there. */
async function openForm(field: Partial<FormField>, question: Partial<FormQuestion> = {}) {
  const filled: FormValues[] = []
  const panel = formPanel({
    title: 'Form',
    fields: [{ name: 'x', required: false, kind: 'text', ...field }],
    values: {},
    check: () => undefined,
    complete: async (_, { typed }) => rank(instruments, typed, (text) => text).map(({ item }) => ({ value: item })),
    escape: 'leaves',
    tui: new SessionTui(literalTerminal(), makeTranscript()),
    paint: paletteFor({ NO_COLOR: '1' }),
    onFilled: (values) => void filled.push(values),
    onEscape() {},
    ...question,
  })
  const menu = (): readonly string[] => {
    // oxlint-disable-next-line no-control-regex -- the selected line is shown inverse
    const lines = panel.render(60).map((line) => line.replaceAll(/\u001B\[\d+m/g, '').trimEnd())
    return lines.slice(lines.findLastIndex((line) => line.startsWith('─')) + 1, -1)
  }
  const type = async (text: string): Promise<void> => {
    for (const key of text.startsWith('\u001B') ? [text] : text.split('')) panel.handleInput(key)
    // Suggestions come in their own time.
    await new Promise((resolve) => setImmediate(resolve))
  }
  await type('')
  return { menu, type, filled }
}

test('a choice that is there already hides no other, and Enter leaves it', async () => {
  const { menu, type, filled } = await openForm({ kind: 'choice', default: 'piano' })

  expect(menu()).toEqual(['  guitar', '› piano', '  violin'])
  await type(keys.enter)

  expect(filled).toEqual([{ x: 'piano' }])
})

test('a choice that is there already can be changed with the arrow keys', async () => {
  const { type, filled } = await openForm({ kind: 'choice', default: 'piano' })

  await type(keys.down)
  await type(keys.enter)

  expect(filled).toEqual([{ x: 'violin' }])
})

test('of several choices the last is suggested, and none twice', async () => {
  const { menu, type, filled } = await openForm({ kind: 'choices', default: 'guitar' })

  expect(menu()).toEqual(['› guitar', '  piano', '  violin'])
  await type(', ')
  expect(menu()).toEqual(['  piano', '  violin'])
  await type('vio')
  await type(keys.enter)

  expect(filled).toEqual([{ x: 'guitar, violin' }])
})

test('Esc leaves a form, and only closes a list in which the person has moved', async () => {
  let left = 0
  const { menu, type } = await openForm({ kind: 'choice' }, { onEscape: () => void (left += 1) })

  await type(keys.escape)
  expect(left).toBe(1)
  await type(keys.down)
  await type(keys.escape)

  expect([left, menu()]).toEqual([1, []])
})

test('Esc leaves a picker, wherever the person has moved', async () => {
  let left = 0
  const { type } = await openForm({ kind: 'choice' }, { isPicker: true, onEscape: () => void (left += 1) })

  await type(keys.down)
  await type(keys.escape)

  expect(left).toBe(1)
})

test('a picker takes the first of its list where nothing is typed, another field does not', async () => {
  const picker = await openForm({ kind: 'choice', required: true }, { isPicker: true })
  const other = await openForm({ kind: 'choice' })

  expect([picker.menu()[0], other.menu()[0]]).toEqual(['› guitar', '  guitar'])
  await picker.type(keys.enter)

  expect(picker.filled).toEqual([{ x: 'guitar' }])
})
