import { describe, expect, test } from 'vitest'
import { typeParameters } from '../../../src/agent/xml/type-parameters.ts'

const schema = {
  type: 'object',
  properties: {
    text: { type: 'string' },
    count: { type: 'integer' },
    ratio: { type: 'number' },
    deep: { type: 'boolean' },
    list: { type: 'array', items: { type: 'number' } },
    names: { type: 'array', items: { type: 'string' } },
    options: { type: 'object' },
    maybe: { anyOf: [{ type: 'number' }, { type: 'null' }] },
    either: { type: ['number', 'string'] },
    level: { enum: ['low', 'high'] },
  },
}

describe('parameters written as text', () => {
  test.each<[string, readonly (readonly [string, string])[], object]>([
    ['text stays text, also where it looks like a number', [['text', '007']], { text: '007' }],
    ['a line break that ends a text stays', [['text', 'a\n']], { text: 'a\n' }],
    ['layout around text goes, blanks within it stay', [['text', '\n  a\n  b\n']], { text: '  a\n  b' }],
    [
      'numbers, zero and false are values',
      [
        ['count', ' 0 '],
        ['ratio', '1.5e3'],
        ['deep', 'False'],
      ],
      { count: 0, ratio: 1500, deep: false },
    ],
    [
      'lists and objects are JSON',
      [
        ['list', '[1, 2]'],
        ['options', '{"a": [null]}'],
      ],
      { list: [1, 2], options: { a: [null] } },
    ],
    [
      'a repeated parameter is a list',
      [
        ['names', 'a'],
        ['names', 'b'],
      ],
      { names: ['a', 'b'] },
    ],
    ['one element without brackets is a list of one', [['list', '7']], { list: [7] }],
    [
      'unions take the first type that fits',
      [
        ['maybe', 'null'],
        ['either', '12'],
      ],
      { maybe: null, either: 12 },
    ],
    ['unions of text take any text', [['either', 'twelve']], { either: 'twelve' }],
    ['an enumeration of text is text', [['level', 'low']], { level: 'low' }],
    [
      'unknown parameters are kept for the server to judge',
      [
        ['odd', '[1]'],
        ['other', 'x'],
      ],
      { odd: [1], other: 'x' },
    ],
  ])('%s', (_, pairs, value) => {
    expect(
      typeParameters(
        schema,
        pairs.map(([name, text]) => ({ name, value: text })),
      ),
    ).toEqual({ kind: 'typed', value })
  })

  test.each([
    ['count', '1.5', '<count> must be integer, not "1.5"'],
    ['deep', 'yes', '<deep> must be boolean, not "yes"'],
    ['options', '[1]', '<options> must be object, not "[1]"'],
    ['maybe', 'x', '<maybe> must be number or null, not "x"'],
    ['list', 'x', '<list> must be number, not "x"'],
  ])('<%s>%s is refused with the reason', (name, value, problem) => {
    expect(typeParameters(schema, [{ name, value }])).toEqual({ kind: 'wrong', problem })
  })

  test('a parameter that is given twice but is no list is refused', () => {
    const twice = typeParameters(schema, [
      { name: 'count', value: '1' },
      { name: 'count', value: '2' },
    ])

    expect(twice).toEqual({ kind: 'wrong', problem: '<count> is given several times, but is not a list' })
  })
})
