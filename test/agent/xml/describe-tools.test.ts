import { describe, expect, test } from 'vitest'
import { describeTools } from '../../../src/agent/xml/describe-tools.ts'
import { xmlScanner } from '../../../src/agent/xml/scanner.ts'
import { typeParameters } from '../../../src/agent/xml/type-parameters.ts'

const schema = {
  type: 'object',
  properties: {
    city: { type: 'string', description: 'Where.' },
    days: { type: 'integer', default: 3 },
    unit: { enum: ['C', 'F'] },
    stops: { type: 'array', items: { type: 'string' } },
  },
  required: ['city', 'stops'],
}

describe('a tool documented for a model', () => {
  test('has description, required and optional parameters, and an example', () => {
    const text = describeTools([{ name: 'weather__plan', description: 'Plans a trip.', schema }])

    expect(text.slice(text.indexOf('## '))).toBe(`## weather__plan
Plans a trip.
Required parameters:
- city (string): Where.
- stops (array, as JSON of this schema: {"type":"array","items":{"type":"string"}})
Optional parameters:
- days (integer)
- unit (one of "C", "F")
Example:
<weather__plan>
<city>text</city>
<stops>[]</stops>
</weather__plan>`)
  })

  test('whose parameters cannot be elements is called with JSON', () => {
    const odd = { type: 'object', properties: { 'first name': { type: 'string' } }, required: ['first name'] }

    const text = describeTools([{ name: 'odd', description: '', schema: odd }])

    expect(text).toContain(
      'Write the parameters of this tool as one JSON object.\nExample:\n<odd>\n{"first name":"text"}\n</odd>',
    )
  })

  test('without parameters says so', () => {
    expect(describeTools([{ name: 'ping', description: '', schema: {} }])).toMatch(
      /## ping\nNo parameters\.\nExample:\n<ping>\n<\/ping>$/,
    )
  })

  test('has an example that is a call, and fits the schema', () => {
    const text = describeTools([{ name: 'weather__plan', description: '', schema }])

    const example = text.slice(text.indexOf('Example:'))
    const scanner = xmlScanner(new Set(['weather__plan']))
    const call = [...scanner.push(example), ...scanner.finish()].find((event) => event.kind === 'call')

    expect(call).toBeDefined()
    expect(typeParameters(schema, call?.kind === 'call' ? call.parameters : [])).toEqual({
      kind: 'typed',
      value: { city: 'text', stops: [] },
    })
  })
})
