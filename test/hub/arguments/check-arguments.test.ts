import { describe, expect, test } from 'vitest'
import type { JsonObject, JsonSchema, ToolEntry } from '../../../src/hub/api.ts'
import { schemaCheck } from '../../../src/hub/arguments/check-arguments.ts'

function toolWith(inputSchema: JsonSchema): ToolEntry {
  return { server: 's', tool: 't', id: 's.t', modelName: 's__t', inputSchema }
}

function complaint(inputSchema: JsonSchema, args: JsonObject): string | undefined {
  try {
    schemaCheck().assertArguments(toolWith(inputSchema), args)
    return undefined
  } catch (error) {
    expect(error).toMatchObject({ name: 'CapstanError', code: 'arguments_invalid' })
    return String(error).replace('CapstanError: Bad arguments for s.t: ', '')
  }
}

function object(properties: Record<string, unknown>, rest: Record<string, unknown> = {}): JsonSchema {
  return { type: 'object', properties, ...rest }
}

const node = {
  type: 'object',
  properties: { kids: { type: 'array', items: { $ref: '#/$defs/node' } }, v: { type: 'number' } },
}

describe('a broken rule is told in words', () => {
  const cases: readonly (readonly [string, JsonSchema, JsonObject, string])[] = [
    [
      'behind a $ref',
      object({ a: { $ref: '#/$defs/x' } }, { $defs: { x: { type: 'string' } } }),
      { a: 5 },
      '"a" must be string, not number 5.',
    ],
    [
      'in a recursive schema',
      object({ node: { $ref: '#/$defs/node' } }, { $defs: { node } }),
      { node: { kids: [{ v: 1 }, { kids: [{ v: 'x' }] }] } },
      '"node.kids.1.kids.0.v" must be number, not string "x".',
    ],
    [
      'in the items of a list',
      object({ items: { type: 'array', items: object({ n: { type: 'number' } }, { required: ['n'] }) } }),
      { items: [{ n: 1 }, { n: 2 }, { n: 'x' }, {}] },
      '"items.2.n" must be number, not string "x"; "items.3.n" is missing.',
    ],
    ['minLength', object({ a: { minLength: 3 } }), { a: 'x' }, '"a" must have at least 3 characters, not string "x".'],
    ['minItems', object({ a: { minItems: 2 } }), { a: [1] }, '"a" must have at least 2 items, not array [1].'],
    ['pattern', object({ a: { pattern: '^x' } }), { a: 'abc' }, '"a" must match the pattern ^x, not string "abc".'],
    [
      'uniqueItems',
      object({ a: { uniqueItems: true } }),
      { a: [1, 1] },
      '"a" must hold no item twice, not array [1,1].',
    ],
    ['maximum', object({ a: { maximum: 3 } }), { a: 5 }, '"a" must be at most 3, not number 5.'],
    [
      'anyOf types',
      object({ a: { anyOf: [{ type: 'string' }, { type: 'null' }] } }),
      { a: 4 },
      '"a" must be string or null, not number 4.',
    ],
    [
      'oneOf constants',
      object({ a: { oneOf: [{ const: 'x' }, { const: 'y' }] } }),
      { a: 4 },
      '"a" must be one of "x", "y", not number 4.',
    ],
    [
      'oneOf that fits twice',
      object({ a: { oneOf: [{}, {}] } }),
      { a: 4 },
      '"a" fits several forms where only one may fit; it is number 4.',
    ],
    [
      'dependentRequired',
      object({}, { dependentRequired: { a: ['b'] } }),
      { a: 1 },
      '"b" is missing, which "a" needs.',
    ],
    [
      'propertyNames',
      object({}, { propertyNames: { pattern: '^[a-z]+$' } }),
      { A1: 1 },
      'the name "A1" is not allowed in the arguments.',
    ],
    [
      'names with slashes, tildes and percent signs',
      object({ 'a/b~c 100%': { type: 'string' } }),
      { 'a/b~c 100%': 1 },
      '"a/b~c 100%" must be string, not number 1.',
    ],
    [
      'a required name that every object inherits',
      object({}, { required: ['constructor'] }),
      {},
      '"constructor" is missing.',
    ],
    [
      'an unknown name that every object inherits',
      object({ a: {} }, { additionalProperties: false }),
      { toString: 1 },
      'there is no argument "toString".',
    ],
  ]

  test.each(cases)('%s', (_title, schema, args, expected) => {
    expect(complaint(schema, args)).toBe(expected)
  })

  test('a thousand violations are told by the first ten', () => {
    const args = { items: Array.from({ length: 1000 }, () => 'x') }

    const text = complaint(object({ items: { type: 'array', items: { type: 'number' } } }), args)

    expect(text).toMatch(/"items\.9" must be number.*; and 990 more\.$/)
  })
})

describe('every dialect is understood', () => {
  test.each([
    [
      'draft-04',
      { $schema: 'http://json-schema.org/draft-04/schema#', properties: { a: { minimum: 3, exclusiveMinimum: true } } },
    ],
    ['draft-06', { $schema: 'http://json-schema.org/draft-06/schema#', properties: { a: { exclusiveMinimum: 3 } } }],
    [
      'draft-07',
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        properties: { a: { $ref: '#/definitions/n' } },
        definitions: { n: { exclusiveMinimum: 3 } },
      },
    ],
    [
      '2019-09',
      {
        $schema: 'https://json-schema.org/draft/2019-09/schema',
        properties: { a: { $ref: '#/$defs/n' } },
        $defs: { n: { exclusiveMinimum: 3 } },
      },
    ],
    ['2020-12', { properties: { a: { exclusiveMinimum: 3 } } }],
  ])('%s', (_dialect, schema) => {
    expect(complaint(schema, { a: 3 })).toMatch(/^"a" must be/)
    expect(complaint(schema, { a: 4 })).toBeUndefined()
  })
})

describe('what is left to the server', () => {
  const doubling = Object.fromEntries(
    Array.from({ length: 30 }, (_, index) => {
      const next = { $ref: `#/$defs/d${index + 1}` }
      return [`d${index}`, { allOf: [next, next] }]
    }),
  )
  test.each([
    ['a remote $ref', object({ a: { $ref: 'https://example.com/x.json' } }), { a: 1 }],
    ['a $ref to itself', { $ref: '#' }, {}],
    ['an $id that is there twice', object({ a: { $id: 'x', type: 'string' }, b: { $id: 'x' } }), { a: 1 }],
    ['an $id that is no address', object({ a: { $id: 'http://[bad' } }), { a: 1 }],
    ['a pattern that is no pattern', object({ a: { pattern: '(' } }), { a: 'x' }],
    ['rules of the wrong type', { type: 'object', properties: { a: null }, required: 'x' }, { a: 1 }],
    ['a format, which is a hint', object({ a: { format: 'date-time' } }), { a: '2026-11-15T10:00:00' }],
    [
      'a format inside a choice',
      object({ a: { anyOf: [{ type: 'string', format: 'date' }, { type: 'null' }] } }),
      { a: 'today' },
    ],
    [
      'null where the schema says "nullable"',
      object({ a: { type: 'string', nullable: true, enum: ['x'] } }),
      { a: null },
    ],
  ])('%s', (_title, schema, args) => {
    expect(complaint(schema, args)).toBeUndefined()
  })

  test.each([
    ['a pattern that backtracks for ever', object({ a: { pattern: '^(a+)+$' } }), { a: `${'a'.repeat(60)}!` }],
    ['references that multiply', { $ref: '#/$defs/d0', $defs: { ...doubling, d30: { type: 'object' } } }, {}],
    [
      'many items that must all differ',
      object({ a: { uniqueItems: true } }),
      { a: Array.from({ length: 20_000 }, (_, id) => ({ id })) },
    ],
  ])('%s is given up in time', (_title, schema, args) => {
    const startedAt = performance.now()

    const text = complaint(schema, args)

    expect(text).toBeUndefined()
    expect(performance.now() - startedAt).toBeLessThan(5000)
  })
})

test('a schema is not changed by being checked', () => {
  const schema = object({ a: { type: 'string', format: 'email', nullable: true } })
  const before = structuredClone(schema)

  complaint(schema, { a: 'x' })

  expect(schema).toStrictEqual(before)
  expect(Object.getOwnPropertyNames(schema)).toEqual(Object.getOwnPropertyNames(before))
})

test('a long text costs next to nothing', () => {
  const schema = object({ a: { type: 'string' } })
  const startedAt = performance.now()

  expect(complaint(schema, { a: 'x'.repeat(5_000_000) })).toBeUndefined()

  expect(performance.now() - startedAt).toBeLessThan(500)
})
