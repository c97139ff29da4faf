import { stripTypeScriptTypes } from 'node:module'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { schemaType } from '../../../src/hub/catalogue/schema-type.ts'

test.each<[string, unknown, string]>([
  ['a string', { type: 'string' }, 'string'],
  ['an integer', { type: 'integer', minimum: 1 }, 'number'],
  ['a missing schema', undefined, 'unknown'],
  ['true', true, 'unknown'],
  ['false', false, 'never'],
  ['a type nobody knows', { type: 'quaternion' }, 'unknown'],
  ['several types', { type: ['string', 'null'] }, 'string|null'],
  ['nullable', { type: 'string', nullable: true }, 'string|null'],
  ['a constant', { const: 'a"b' }, String.raw`"a\"b"`],
  ['a null constant', { const: null }, 'null'],
  ['an enumeration', { enum: ['a', 1, null, true] }, '"a"|1|null|true'],
  ['a list', { type: 'array', items: { type: 'number' } }, 'number[]'],
  ['a list of a union', { type: 'array', items: { enum: ['a', 'b'] } }, '("a"|"b")[]'],
  ['a list of anything', { type: 'array' }, 'unknown[]'],
  ['a tuple', { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] }, '[string,number]'],
  [
    'a tuple of older drafts',
    { items: [{ type: 'string' }], additionalItems: { type: 'number' } },
    '[string,...number[]]',
  ],
  [
    'a tuple with optional ends',
    { prefixItems: [{ type: 'string' }, { enum: [1, 2] }], minItems: 1 },
    '[string,(1|2)?]',
  ],
  ['an object', { properties: { a: { type: 'string' }, b: {} }, required: ['a'] }, '{a:string;b?:unknown}'],
  ['an object without properties', { type: 'object' }, 'Record<string,unknown>'],
  ['an object that takes nothing', { type: 'object', properties: {} }, '{}'],
  ['a closed empty object', { type: 'object', additionalProperties: false }, '{}'],
  ['a map', { type: 'object', additionalProperties: { type: 'number' } }, 'Record<string,number>'],
  ['a map by pattern', { type: 'object', patternProperties: { '^x': { type: 'string' } } }, 'Record<string,string>'],
  [
    'an object with further keys',
    { properties: { a: { type: 'string' } }, additionalProperties: { type: 'number' } },
    '{a?:string}&Record<string,number>',
  ],
  ['a required name without a property', { type: 'object', required: ['a'] }, '{a:unknown}'],
  [
    'odd keys',
    { properties: { 'a-b': {}, '*/': {}, '1': {}, new: {} } },
    '{"1"?:unknown;"a-b"?:unknown;"*/"?:unknown;"new"?:unknown}',
  ],
  ['anyOf', { anyOf: [{ type: 'string' }, { type: 'number' }] }, 'string|number'],
  ['oneOf of constants beside a type', { type: 'string', oneOf: [{ const: 'a' }, { const: 'b' }] }, '"a"|"b"'],
  ['anyOf that only demands names', { properties: { a: {} }, anyOf: [{ required: ['a'] }, {}] }, '{a?:unknown}'],
  [
    'allOf',
    { allOf: [{ properties: { a: { type: 'string' } } }, { properties: { b: { type: 'number' } } }] },
    '{a?:string}&{b?:number}',
  ],
  [
    'an object with alternatives',
    { properties: { a: {} }, oneOf: [{ properties: { b: {} } }, { properties: { c: {} } }] },
    '{a?:unknown}&({b?:unknown}|{c?:unknown})',
  ],
  ['a reference', { $ref: '#/$defs/x', $defs: { x: { type: 'string' } } }, 'string'],
  ['a reference with escapes', { $ref: '#/$defs/a~1b%20c', $defs: { 'a/b c': { type: 'boolean' } } }, 'boolean'],
  ['a reference to elsewhere', { $ref: 'https://example.com/schema.json' }, 'unknown'],
  ['a reference to nowhere', { $ref: '#/$defs/none' }, 'unknown'],
  ['a reference to itself', { $ref: '#' }, 'unknown'],
  [
    'a nullable reference',
    { anyOf: [{ $ref: '#/$defs/x' }, { type: 'null' }], $defs: { x: { type: 'string' } } },
    'string|null',
  ],
])('%s comes out right', (_, schema, type) => {
  expect(schemaType(schema, { layout: 'compact' })).toBe(type)
})

test('a recursive type ends in unknown', () => {
  const node = { properties: { value: { type: 'number' }, next: { $ref: '#/$defs/node' } } }

  const type = schemaType({ $ref: '#/$defs/node', $defs: { node } }, { layout: 'compact' })

  expect(type).toBe('{value?:number;next?:unknown}')
})

test('references that multiply do not make an endless text', () => {
  const levels = Array.from({ length: 30 }, (_, level) => [
    `l${level}`,
    { properties: { a: { $ref: `#/$defs/l${level + 1}` }, b: { $ref: `#/$defs/l${level + 1}` } } },
  ])

  const type = schemaType({ $ref: '#/$defs/l0', $defs: Object.fromEntries(levels) })

  expect(type.length).toBeLessThan(20_000)
})

test('a very long enumeration is told by its base type', () => {
  expect(schemaType({ enum: Array.from({ length: 200 }, (_, index) => `v${index}`) })).toBe('string')
})

test('the spaced layout is for people', () => {
  const schema = { properties: { a: { enum: ['x', 'y'] }, b: {} }, required: ['a'] }

  expect(schemaType(schema)).toBe('{ a: "x" | "y"; b?: unknown }')
})

test('whatever JSON a server sends as a schema, the type is valid TypeScript', () => {
  const keyword = fc.constantFrom(
    'type',
    'properties',
    'items',
    'anyOf',
    'enum',
    'const',
    'required',
    '$ref',
    'a-b',
    '*/',
    '#/',
  )
  const json = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      fc.constantFrom('string', 'object', 'array', 'number', '#', '*/', null, true, 3),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(keyword, tie('value'), { maxKeys: 5 }),
    ),
  })).value

  fc.assert(
    fc.property(json, fc.constantFrom('compact' as const, 'spaced' as const), (schema, layout) => {
      stripTypeScriptTypes(`declare const x: ${schemaType(schema, { layout })}`)
    }),
  )
})
