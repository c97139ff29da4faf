import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { objectSchema } from '../../../src/hosts/tools/object-schema.ts'

const text = { type: 'string' }
const number = { type: 'number' }

test('leaves a plain schema as it is, with what stands below the outermost level', () => {
  const schema = {
    type: 'object',
    properties: { a: { anyOf: [text, { $ref: '#/$defs/b' }] } },
    required: ['a'],
    additionalProperties: false,
    $defs: { b: number },
  }

  expect(objectSchema(schema)).toEqual(schema)
})

test('makes an object of a schema that says nothing', () => {
  expect(objectSchema({})).toEqual({ type: 'object', properties: {} })
  expect(objectSchema({ $schema: 'https://json-schema.org/draft/2020-12/schema', type: ['object', 'null'] })).toEqual({
    type: 'object',
    properties: {},
  })
})

describe('of schemas that are combined at the outermost level', () => {
  test('takes all properties of choices, and requires what every choice requires', () => {
    const schema = {
      type: 'object',
      properties: { title: text },
      required: ['title'],
      oneOf: [
        { properties: { id: text, url: text }, required: ['id', 'url'] },
        { properties: { id: text, file: text }, required: ['id', 'file'] },
      ],
    }

    expect(objectSchema(schema)).toEqual({
      type: 'object',
      properties: { id: text, url: text, file: text, title: text },
      required: ['title', 'id'],
    })
  })

  test('offers both schemas of a property in which choices differ', () => {
    const schema = { anyOf: [{ properties: { id: text } }, { properties: { id: number } }] }

    expect(objectSchema(schema)).toEqual({ type: 'object', properties: { id: { anyOf: [text, number] } } })
  })

  test('joins all of allOf, follows references, and takes conditions for choices', () => {
    const conditions =
      '{ "if": { "required": ["b"] }, "then": { "properties": { "c": { "type": "string" } }, "required": ["c"] } }'
    const schema = {
      allOf: [{ $ref: '#/$defs/base' }, { properties: { b: text }, required: ['b'] }],
      ...(JSON.parse(conditions) as object),
      $defs: { base: { properties: { a: text }, required: ['a'] } },
    }

    expect(objectSchema(schema)).toMatchObject({ properties: { a: text, b: text, c: text }, required: ['a', 'b'] })
  })

  test('requires no property that is nowhere described', () => {
    expect(objectSchema({ anyOf: [{ required: ['ghost'] }] })).toEqual({ type: 'object', properties: {} })
  })
})

test('comes to an end with a schema that refers to itself many times over', () => {
  const many = Array.from({ length: 50 }, () => ({ $ref: '#' }))

  expect(objectSchema({ properties: { a: text }, anyOf: many, allOf: many })).toMatchObject({ properties: { a: text } })
})

test('never throws, and never leaves at the outermost level what providers refuse', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...keywords), fc.jsonValue()), (schema) => {
      const made = objectSchema(schema)

      expect(made.type).toBe('object')
      expect(['oneOf', 'anyOf', 'allOf', 'not', 'if', '$ref', 'enum'].filter((keyword) => keyword in made)).toEqual([])
    }),
  )
})

const keywords = ['type', 'properties', 'required', 'oneOf', 'anyOf', 'allOf', 'not', 'if', 'then', '$ref', 'enum']
