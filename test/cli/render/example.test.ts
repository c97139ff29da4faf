import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Validator } from '@cfworker/json-schema'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { exampleArguments, exampleCall, examplePrompt, shellQuote } from '../../../src/cli/render/example.ts'
import type { JsonSchema } from '../../../src/hub/api.ts'
import { publishedTools } from '../published-tools.ts'

function object(properties: Record<string, unknown>, required = Object.keys(properties)): JsonSchema {
  return { type: 'object', properties, required }
}

test.each<[string, JsonSchema, string]>([
  ['nothing', { type: 'object' }, 'capstan call s.t'],
  ['a string', object({ message: { type: 'string' } }), 'capstan call s.t message=hello'],
  ['only what is required', object({ a: { type: 'number' }, b: { type: 'number' } }, ['a']), 'capstan call s.t a=1'],
  [
    'an example of the schema',
    object({ q: { type: 'string', examples: ["it's here"] } }),
    String.raw`capstan call s.t 'q=it'\''s here'`,
  ],
  ['a default', object({ n: { type: 'number', default: 5 } }), 'capstan call s.t n=5'],
  ['an enumeration', object({ city: { enum: ['New York', 'Chicago'] } }), "capstan call s.t 'city=New York'"],
  ['limits', object({ n: { type: 'integer', minimum: 10, multipleOf: 4 } }), 'capstan call s.t n=12'],
  ['a list', object({ names: { type: 'array', items: { type: 'string' } } }), `capstan call s.t 'names=["NAME"]'`],
  ['a path, which only the person knows', object({ path: { type: 'string' } }), 'capstan call s.t path=PATH'],
  ['a name of several words', object({ repoName: { type: 'string' } }), 'capstan call s.t repoName=REPO_NAME'],
  ['an address', object({ baseUrl: { type: 'string' } }), 'capstan call s.t baseUrl=https://example.com'],
  ['an object', object({ o: object({ x: { type: 'boolean' } }) }), `capstan call s.t 'o={"x":true}'`],
  ['a format', object({ when: { type: 'string', format: 'date' } }), 'capstan call s.t when=2026-01-31'],
  [
    'a value that would name a file',
    object({ user: { type: 'string', default: '@me' } }),
    `capstan call s.t --args '{"user":"@me"}'`,
  ],
  ['a key that is no word', object({ 'a b': { type: 'number' } }), `capstan call s.t --args '{"a b":1}'`],
  ['null or a string', object({ x: { anyOf: [{ type: 'null' }, { type: 'string' }] } }), 'capstan call s.t x=X'],
])('an example with %s', (_, inputSchema, line) => {
  expect(exampleCall({ id: 's.t', inputSchema })).toBe(line)
})

test.each<[string, JsonSchema]>([
  [
    'references',
    { ...object({ a: { $ref: '#/$defs/a' } }), $defs: { a: object({ n: { type: 'integer', exclusiveMinimum: 3 } }) } },
  ],
  [
    'allOf',
    { type: 'object', allOf: [object({ a: { type: 'string', minLength: 12 } }), object({ b: { type: 'null' } })] },
  ],
  ['oneOf with its own demands', { type: 'object', properties: { a: {} }, oneOf: [object({ kind: { const: 'x' } })] }],
  ['tuples', object({ at: { type: 'array', prefixItems: [{ type: 'number' }, { type: 'string' }], minItems: 2 } })],
  ['short strings', object({ code: { type: 'string', maxLength: 2 } })],
  ['several items', object({ l: { type: 'array', minItems: 3, items: { type: 'number' } } })],
])('example arguments fit a schema with %s', (_, schema) => {
  const { valid, errors } = new Validator({ ...schema }, '2020-12').validate(exampleArguments(schema))

  expect(errors).toEqual([])
  expect(valid).toBe(true)
})

test('the example of every published tool fits its schema', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'capstan-example-'))
  try {
    const { tools } = await publishedTools(folder)

    const bad = tools.filter(
      (tool) => !new Validator({ ...tool.inputSchema }).validate(exampleArguments(tool.inputSchema)).valid,
    )

    expect(bad.map((tool) => tool.id)).toEqual([])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

test('a recursive schema gives an example that ends', () => {
  const schema = { ...object({ next: { $ref: '#' } }) }

  expect(JSON.stringify(exampleArguments(schema)).length).toBeLessThan(500)
})

test('the example of a prompt names its required arguments', () => {
  const args = [{ name: 'city', required: true }, { name: 'state' }]

  expect(examplePrompt({ id: 'everything:args', arguments: args })).toBe('capstan prompt everything:args city=CITY')
})

test.skipIf(process.platform === 'win32')('a shell reads back every quoted word unchanged', () => {
  const words = fc.sample(
    fc.string({ unit: 'binary', maxLength: 20 }).filter((word) => !word.includes('\0')),
    { numRuns: 50, seed: 1 },
  )

  const printed = execFileSync('sh', ['-c', `printf '%s\\0' ${words.map((word) => shellQuote(word)).join(' ')}`])

  expect(printed.toString().split('\0').slice(0, -1)).toEqual(words)
})
