import { describe, expect, test } from 'vitest'
import { typeArguments } from '../../../src/hub/arguments/typed-arguments.ts'
import type { JsonSchema, ToolEntry } from '../../../src/hub/api.ts'

function toolWith(properties: JsonSchema, more: JsonSchema = {}): ToolEntry {
  return { server: 's', tool: 't', id: 's.t', modelName: 's__t', inputSchema: { type: 'object', properties, ...more } }
}

function typed(schema: JsonSchema, ...values: readonly string[]): unknown {
  return typeArguments(
    toolWith({ key: schema }),
    values.map((value) => ({ key: 'key', value })),
    {},
  ).args['key']
}

describe('a value is typed by the schema', () => {
  test.each([
    ['a string stays text', { type: 'string' }, '5', '5'],
    ['a string of JSON stays text', { type: 'string' }, '{"a":1}', '{"a":1}'],
    ['a number', { type: 'number' }, '-2.5', -2.5],
    ['a whole number', { type: 'integer' }, '7', 7],
    ['true', { type: 'boolean' }, 'true', true],
    ['false', { type: 'boolean' }, 'false', false],
    ['a choice that is a number', { enum: [1, 2, 3] }, '2', 2],
    ['a choice that reads like a number', { enum: ['1', '2'] }, '2', '2'],
    ['an object', { type: 'object' }, '{"a":[1]}', { a: [1] }],
    ['a list', { type: 'array', items: { type: 'number' } }, '[1,2]', [1, 2]],
    ['one item of a list', { type: 'array', items: { type: 'string' } }, 'a b', ['a b']],
    ['one number of a list', { type: 'array', items: { type: 'number' } }, '4', [4]],
    ['null where it is allowed', { type: ['string', 'null'] }, 'null', null],
    ['text where null is allowed', { type: ['string', 'null'] }, 'nul', 'nul'],
    ['a number where text is allowed too', { anyOf: [{ type: 'string' }, { type: 'number' }] }, '5', 5],
    ['quoted text where numbers are allowed too', { anyOf: [{ type: 'string' }, { type: 'number' }] }, '"5"', '5'],
    ['through a reference', { $ref: '#/$defs/count' }, '3', 3],
    ['text where a number is wanted, for the check to name', { type: 'number' }, 'many', 'many'],
    ['no schema, JSON', {}, '[1]', [1]],
    ['no schema, text', {}, 'hello there', 'hello there'],
    ['an empty value', { type: 'string' }, '', ''],
  ])('%s', (_title, schema, value, expected) => {
    const tool = toolWith({ key: schema }, { $defs: { count: { type: 'integer' } } })

    expect(typeArguments(tool, [{ key: 'key', value }], {}).args['key']).toEqual(expected)
  })

  test('a key given several times makes a list', () => {
    expect(typed({ type: 'array', items: { type: 'string' } }, 'a', 'b')).toEqual(['a', 'b'])
  })

  test('a key given several times is refused where one value is wanted', () => {
    expect(() => typed({ type: 'string' }, 'a', 'b')).toThrow('"key" is given 2 times')
  })
})

test('pairs win over --args', () => {
  const { args } = typeArguments(toolWith({ a: { type: 'number' } }), [{ key: 'a', value: '2' }], { a: 1, b: 3 })

  expect(args).toEqual({ a: 2, b: 3 })
})

test('a name the tool does not declare is warned about, with the likely one', () => {
  const { warnings } = typeArguments(toolWith({ limit: { type: 'number' } }), [{ key: 'limt', value: '2' }], {})

  expect(warnings).toEqual(['s.t declares no argument "limt"; did you mean "limit"?'])
})
