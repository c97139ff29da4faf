import { expect, test } from 'vitest'
import { argumentRows } from '../../../src/cli/render/arguments.ts'

test('a row tells type, need, default and limits', () => {
  const properties = { n: { type: 'integer', default: 3, minimum: 1, maximum: 10, description: 'How many' } }

  expect(argumentRows({ type: 'object', properties })).toEqual([
    {
      name: 'n',
      type: 'number',
      isRequired: false,
      defaultValue: '3',
      description: 'How many (at least 1, at most 10)',
    },
  ])
})

test('nested objects and lists of objects get dotted rows of their own', () => {
  const edit = { type: 'object', properties: { old: { type: 'string' }, new: { type: 'string' } }, required: ['old'] }
  const schema = {
    properties: {
      edits: { type: 'array', items: edit },
      filter: { type: 'object', properties: { since: { type: 'string' } } },
    },
    required: ['edits'],
  }

  const rows = argumentRows(schema).map((row) => [row.name, row.type, row.isRequired])

  expect(rows).toEqual([
    ['edits', 'object[]', true],
    ['edits[].old', 'string', true],
    ['edits[].new', 'string', false],
    ['filter', 'object', false],
    ['filter.since', 'string', false],
  ])
})

test('references and parts are followed, and recursion ends', () => {
  const node = { type: 'object', properties: { value: { type: 'number' }, next: { $ref: '#/$defs/node' } } }
  const schema = {
    allOf: [{ properties: { a: { type: 'string' } }, required: ['a'] }],
    properties: { list: { $ref: '#/$defs/node' } },
    $defs: { node },
  }

  const rows = argumentRows(schema)

  expect(rows.find((row) => row.name === 'a')?.isRequired).toBe(true)
  expect(rows.some((row) => row.name === 'list.value')).toBe(true)
  expect(rows.length).toBeLessThan(12)
})

test('a schema without properties has no rows', () => {
  expect(argumentRows({ type: 'object' })).toEqual([])
  expect(argumentRows({})).toEqual([])
})
