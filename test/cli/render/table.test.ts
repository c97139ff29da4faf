import { expect, test } from 'vitest'
import { paragraph, renderTable } from '../../../src/cli/render/table.ts'
import { displayWidth } from '../../../src/cli/render/width.ts'

const rows = [
  ['path', 'string', 'required', 'Where the file is, from the root of the project'],
  ['excludePatterns', 'string[]', 'optional', 'What to leave out'],
]

test('columns stand under each other', () => {
  expect(
    renderTable(
      [
        ['a', 'bb', 'c'],
        ['日本', 'b', 'd'],
      ],
      { columns: 80 },
    ),
  ).toBe('a     bb  c\n日本  b   d\n')
})

test('the last column wraps under itself', () => {
  const lines = renderTable(rows, { columns: 60, indent: 2 }).split('\n')

  expect(lines[0]).toMatch(/^ {2}path {13}string/)
  expect(lines[1]).toMatch(/^ {39}\S/)
})

test.each([120, 80, 60, 40, 24])('nothing is wider than %i columns', (columns) => {
  const lines = renderTable(rows, { columns, indent: 2 }).split('\n')

  expect(Math.max(...lines.map(displayWidth))).toBeLessThanOrEqual(columns)
})

test('where columns do not fit, a row is stacked', () => {
  expect(renderTable(rows, { columns: 30 })).toContain('excludePatterns\n  string[]  optional\n  What to leave out\n')
})

test('colour does not change the columns', () => {
  const paint = (text: string): string => `<${text}>`

  expect(
    renderTable(
      [
        [{ text: 'a', paint }, 'x'],
        ['bbb', 'y'],
      ],
      { columns: 80 },
    ),
  ).toBe('<a>    x\nbbb  y\n')
})

test('a paragraph is indented on every line', () => {
  expect(paragraph('one two three', { columns: 10, indent: 2 })).toBe('  one two\n  three\n')
})
