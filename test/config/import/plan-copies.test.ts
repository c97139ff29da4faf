import { expect, test } from 'vitest'
import { planCopies } from '../../../src/config/import/plan-copies.ts'
import type { ImportRow } from '../../../src/config/import/table.ts'
import type { RawEntry } from '../../../src/config/types.ts'

const source = { client: 'cursor', name: 'a', file: '/f', scope: 'user' } as const
const row = (name: string, entry: RawEntry): ImportRow => ({ name, entry, sources: [source], scope: 'user', notes: [] })
const outcomes = (rows: readonly ImportRow[], existing: Record<string, RawEntry>, rename = false) =>
  planCopies(rows, new Map(Object.entries(existing)), { rename }).map(({ kind, name }) => `${kind} ${name}`)

test('a free name is copied, an identical entry is there already, another one is never overwritten', () => {
  const rows = [
    row('new', { command: 'n' }),
    row('same', { command: 's', args: ['1'] }),
    row('other', { command: 'o' }),
  ]

  expect(outcomes(rows, { same: { args: ['1'], command: 's' }, other: { command: 'mine' } })).toEqual([
    'copy new',
    'present same',
    'taken other',
  ])
})

test('with rename a taken name gets the next free number, and a second run adds nothing', () => {
  const existing = { a: { command: 'mine' }, 'a-2': { command: 'mine too' } }

  expect(outcomes([row('a', { command: 'theirs' })], existing, true)).toEqual(['copy a-3'])
  expect(outcomes([row('a', { command: 'theirs' })], { ...existing, 'a-3': { command: 'theirs' } }, true)).toEqual([
    'present a-3',
  ])
})

test('an entry whose secrets were moved out by an earlier import is recognised', () => {
  const entry = { command: 'x', env: { API_KEY: 'Kd93jfLq02mZx81V', MODE: 'fast' } }

  expect(outcomes([row('a', entry)], { a: { command: 'x', env: { API_KEY: '${API_KEY}', MODE: 'fast' } } })).toEqual([
    'present a',
  ])
  expect(outcomes([row('a', entry)], { a: { command: 'x', env: { API_KEY: '${API_KEY}', MODE: '${MODE}' } } })).toEqual(
    ['taken a'],
  )
})
