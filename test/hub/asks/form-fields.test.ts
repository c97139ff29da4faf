import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject, JsonSchema, JsonValue } from '../../../src/hub/api.ts'
import { formFields, problemsIn, readField } from '../../../src/hub/asks/form-fields.ts'

const form = (properties: Record<string, JsonSchema>, required: readonly string[] = []): JsonSchema => ({
  type: 'object',
  properties,
  required,
})

function read(schema: JsonSchema, text: string, required = false) {
  const [field] = formFields(form({ it: schema }, required ? ['it'] : []))
  if (field === undefined) throw new Error('no field')
  return readField(field, text)
}

const colours = [
  { const: 'r', title: 'Red' },
  { const: 'g', title: 'Green, dark' },
]

describe('the fields of a form', () => {
  test('come in the order of the schema, with everything a screen needs', () => {
    const fields = formFields(
      form(
        {
          name: { type: 'string', title: 'Your name', description: 'As on the door' },
          cups: { type: 'integer', default: 2 },
          weight: { type: 'number' },
          hot: { type: 'boolean', default: true },
          size: { type: 'string', enum: ['s', 'l'], enumNames: ['Small', 'Large'], default: 's' },
          colour: { type: 'string', oneOf: colours },
          with: { type: 'array', items: { type: 'string', enum: ['milk', 'sugar'] }, default: ['milk', 'sugar'] },
          tones: { type: 'array', items: { anyOf: colours } },
        },
        ['name'],
      ),
    )

    expect(fields).toMatchObject([
      { name: 'name', kind: 'text', required: true, title: 'Your name', description: 'As on the door' },
      { name: 'cups', kind: 'integer', required: false, default: '2' },
      { name: 'weight', kind: 'number' },
      { name: 'hot', kind: 'boolean', default: 'true' },
      {
        name: 'size',
        kind: 'choice',
        default: 's',
        choices: [
          { value: 's', title: 'Small' },
          { value: 'l', title: 'Large' },
        ],
      },
      { name: 'colour', kind: 'choice', choices: [{ value: 'r', title: 'Red' }, { value: 'g' }] },
      { name: 'with', kind: 'choices', default: 'milk\nsugar', choices: [{ value: 'milk' }, { value: 'sugar' }] },
      { name: 'tones', kind: 'choices' },
    ])
  })

  test.each([[{}], [{ type: 'object' }], [{ properties: 'none' }], [{ properties: [], required: 'x' }]])(
    'of a schema like %j are none',
    (schema) => {
      expect(formFields(schema)).toEqual([])
      expect(problemsIn(schema, {})).toEqual([])
    },
  )
})

describe('a text becomes the value that is meant', () => {
  test.each<readonly [schema: JsonSchema, text: string, value: JsonValue]>([
    [{ type: 'string' }, ' as it is ', ' as it is '],
    [{ type: 'string' }, '3', '3'],
    [{ type: 'integer' }, ' 3 ', 3],
    [{ type: 'number' }, '-2.5e3', -2500],
    [{ type: ['integer', 'null'] }, '7', 7],
    [{ type: 'boolean' }, 'Yes', true],
    [{ type: 'boolean' }, 'false', false],
    [{ type: 'string', enum: ['tea'] }, 'tea', 'tea'],
    [{ type: 'string', oneOf: colours }, 'g', 'g'],
    [{ type: 'string', oneOf: colours }, 'Green, dark', 'g'],
    [{ type: 'string', enum: ['a', 'b'], enumNames: ['b', 'a'] }, 'b', 'b'],
    [{ enum: [1, 2] }, '2', 2],
    [{ type: 'array', items: { enum: ['a', 'b'] } }, 'a\nb', ['a', 'b']],
    [{ type: 'array', items: { enum: ['a', 'b'] } }, 'a, b', ['a', 'b']],
    [{ type: 'array', items: { enum: ['a,b', 'c'] } }, 'a,b', ['a,b']],
    [{ type: 'array', items: { anyOf: colours } }, 'Red\nGreen, dark', ['r', 'g']],
    [{ type: 'array', items: { type: 'string' } }, '["x"]', ['x']],
    [{ type: 'object' }, '{"a":1}', { a: 1 }],
    [{}, 'whatever', 'whatever'],
  ])('%j reads %j as %j', (schema, text, value) => {
    expect(read(schema, text)).toEqual({ value })
  })

  test('an empty text leaves out what may be left out, and names what may not', () => {
    expect(read({ type: 'string' }, '')).toEqual({ value: undefined })
    expect(read({ type: 'string', default: 'x' }, '', true)).toEqual({ value: undefined })
    expect(read({ type: 'string', title: 'Name' }, '', true)).toEqual({ problem: 'Name is needed.' })
  })
})

describe('a text that does not fit is refused with what is wanted', () => {
  test.each<readonly [schema: JsonSchema, text: string, problem: string]>([
    [{ type: 'integer' }, '1.5', 'it must be a whole number.'],
    [{ type: 'number' }, 'many', 'it must be a number.'],
    [{ type: 'number' }, ' ', 'it must be a number.'],
    [{ type: 'integer', minimum: 1, maximum: 3 }, '0', 'it must be at least 1.'],
    [{ type: 'integer', minimum: 1, maximum: 3 }, '4', 'it must be at most 3.'],
    [{ type: 'number', exclusiveMinimum: 0 }, '0', 'it must be above 0.'],
    [{ type: 'number', exclusiveMaximum: 1 }, '1', 'it must be below 1.'],
    [{ type: 'boolean' }, 'perhaps', 'it must be yes or no.'],
    [{ type: 'string', minLength: 3 }, 'ab', 'it must be at least 3 characters long.'],
    [{ type: 'string', maxLength: 1 }, 'ab', 'it must be at most 1 characters long.'],
    [{ type: 'string', pattern: '^[a-z]+$' }, 'A1', 'it must be like the pattern ^[a-z]+$.'],
    [{ type: 'string', format: 'email' }, 'nobody', 'it must be an email address.'],
    [{ type: 'string', format: 'uri' }, 'no address', 'it must be an address such as https://example.org.'],
    [{ type: 'string', format: 'date' }, '2026-02-30', 'it must be a date such as 2026-03-31.'],
    [{ type: 'string', format: 'date' }, '31.03.2026', 'it must be a date such as 2026-03-31.'],
    [{ type: 'string', format: 'date-time' }, '2026-03-31', 'it must be a time such as 2026-03-31T12:00:00Z.'],
    [{ type: 'string', format: 'date-time' }, '2026-03-31T99:00Z', 'it must be a time such as 2026-03-31T12:00:00Z.'],
    [{ type: 'string', enum: ['tea', 'coffee'] }, 'milk', 'it must be one of: tea, coffee.'],
    [{ type: 'array', items: { enum: ['a', 'b'] } }, 'a,c', 'it must be some of: a, b.'],
    [{ type: 'array', items: { enum: ['a', 'b'] } }, 'a,a', 'it has a value twice.'],
    [{ type: 'array', items: { enum: ['a', 'b'] }, minItems: 2 }, 'a', 'it needs at least 2 of them.'],
    [{ type: 'array', items: { enum: ['a', 'b'] }, maxItems: 1 }, 'a,b', 'it takes at most 1 of them.'],
    [{ type: 'object' }, 'no JSON', 'it must be a JSON object.'],
  ])('%j refuses %j', (schema, text, problem) => {
    expect(read(schema, text)).toEqual({ problem })
  })

  test.each([
    [{ type: 'string', format: 'date-time' }, '2026-03-31T12:00:00+02:00'],
    [{ type: 'string', format: 'colour' }, 'any format that is not known'],
    [{ type: 'string', maxLength: 1 }, '🫖'],
    [{ type: 'string', pattern: '(' }, 'a pattern that is broken'],
    [{ type: 'string', pattern: '^(a+)+$' }, `${'a'.repeat(60)}!`],
  ])('%j takes %j', (schema, text) => {
    expect(read(schema, text)).toEqual({ value: text })
  })
})

describe('the content of a form', () => {
  const schema = form(
    { drink: { type: 'string', enum: ['tea'] }, cups: { type: 'integer', minimum: 1, default: 2 }, note: {} },
    ['drink', 'cups'],
  )

  test.each<readonly [content: JsonObject, fields: readonly string[]]>([
    [{ drink: 'tea' }, []],
    [{ drink: 'tea', cups: 3, more: 'is left to the server' }, []],
    [{}, ['drink']],
    [{ drink: 'milk', cups: 0 }, ['drink', 'cups']],
    [{ drink: null, cups: '2' }, ['drink', 'cups']],
  ])('%j has problems with %j', (content, fields) => {
    expect(problemsIn(schema, content).map(({ field }) => field)).toEqual(fields)
  })

  test('may be closed to other fields', () => {
    expect(problemsIn({ ...schema, additionalProperties: false }, { drink: 'tea', sugar: 1 })).toEqual([
      { field: 'sugar', problem: 'sugar is not a field of the form.' },
    ])
  })

  test('is accepted when every value of it was read from a text', () => {
    const limits = fc.record(
      { minimum: fc.integer({ max: 5 }), maximum: fc.integer({ min: -5 }), default: fc.integer() },
      { requiredKeys: [] },
    )
    const lengths = fc.record({ minLength: fc.nat(3), maxLength: fc.nat(6) }, { requiredKeys: [] })
    const format = fc.constantFrom('email', 'uri', 'date', 'date-time', 'odd')
    const word = fc.constantFrom('a', 'b', 'a,b', '', 'yes', '3', '-1', '1.5', '2026-02-28', 'x@y', '__proto__')
    const schemas: fc.Arbitrary<JsonSchema> = fc.oneof(
      limits.map((rules) => ({ type: 'integer', ...rules })),
      limits.map((rules) => ({ type: 'number', ...rules })),
      lengths.map((rules) => ({ type: 'string', ...rules })),
      format.map((name) => ({ type: 'string', format: name })),
      fc.constant({ type: 'boolean' }),
      fc.array(word).map((values) => ({ type: 'string', enum: values })),
      fc.array(word).map((values) => ({ type: 'array', items: { enum: values }, minItems: 1 })),
      fc.array(word).map((values) => ({ oneOf: values.map((value) => ({ const: value, title: `${value}!` })) })),
    )
    const names = fc.constantFrom('one', 'two', '__proto__', 'constructor')
    const texts = fc.oneof(word, fc.string(), fc.integer().map(String))

    fc.assert(
      fc.property(fc.array(fc.tuple(names, schemas, texts, fc.boolean())), (entries) => {
        const schema = form(
          Object.fromEntries(entries.map(([name, rules]) => [name, rules])),
          entries.filter(([, , , required]) => required).map(([name]) => name),
        )
        const textsOf = new Map<string, string>(entries.map(([name, , text]) => [name, text]))
        const readings = formFields(schema).map((field) => ({
          name: field.name,
          reading: readField(field, textsOf.get(field.name) ?? ''),
        }))
        fc.pre(readings.every(({ reading }) => 'value' in reading))
        const content = Object.fromEntries(
          readings.flatMap(({ name, reading }) =>
            'value' in reading && reading.value !== undefined ? [[name, reading.value]] : [],
          ),
        )

        expect(problemsIn(schema, content)).toEqual([])
      }),
    )
  })
})
