import { expect, test } from 'vitest'
import { printedBlock } from '../../src/terminal/blocks/printed.ts'
import { makeMarkdown } from '../../src/terminal/markdown.ts'
import { paletteFor } from '../../src/terminal/paint.ts'

const paint = paletteFor({ NO_COLOR: '1' })

function drawn(columns: readonly string[], rows: readonly (readonly string[])[], width: number): readonly string[] {
  return printedBlock({ kind: 'table', columns, rows }, paint, makeMarkdown(paint)).render(width)
}

test('a table keeps its columns side by side as long as the last one has some room', () => {
  const rows = [
    ['20261115-145050-fc0a', '2026-11-15 14:53', '27', 'about boats, and what became of them'],
    ['20261115-144918-84a3', '2026-11-15 14:50', '9', ''],
  ]

  expect(drawn(['Id', 'Last used', 'Messages', 'Title'], rows, 80)).toEqual([
    'Id                    Last used         Messages  Title',
    '20261115-145050-fc0a  2026-11-15 14:53  27        about boats, and what became',
    '                                                  of them',
    '20261115-144918-84a3  2026-11-15 14:50  9',
  ])
})

test('a table whose last column has no room puts it below, and loses nothing of it', () => {
  const rows = [
    ['everything', 'failed 12 times', 'The server ended.'],
    ['echo', 'ready', ''],
  ]

  expect(drawn(['Server', 'State', 'About'], rows, 40)).toEqual([
    'Server      State',
    '  About',
    'everything  failed 12 times',
    '  The server ended.',
    'echo        ready',
  ])
})
