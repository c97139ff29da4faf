import { mkdtemp, rm } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { expect, test } from 'vitest'
import type { ToolEntry } from '../../../src/hub/api.ts'
import { declareTools, signature } from '../../../src/hub/catalogue/signature.ts'
import { publishedTools } from '../../cli/published-tools.ts'

function tool(name: string, rest: Partial<ToolEntry> = {}): ToolEntry {
  return {
    server: 'srv',
    tool: name,
    id: `srv.${name}`,
    modelName: `srv__${name}`,
    inputSchema: { type: 'object' },
    ...rest,
  }
}

test('a signature names the arguments and the result', () => {
  const inputSchema = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] }
  const outputSchema = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] }

  expect(signature(tool('add', { inputSchema, outputSchema }))).toBe(
    'add(args: { a: number }): Promise<{ sum: number }>',
  )
  expect(signature(tool('get-env'))).toBe('"get-env"(): Promise<unknown>')
})

test('arguments are optional only when none is required anywhere', () => {
  const properties = { a: { type: 'number' } }
  const combined = { properties, allOf: [{ required: ['a'] }] }

  expect(signature(tool('x', { inputSchema: { type: 'object', properties } }))).toContain('args?:')
  expect(signature(tool('x', { inputSchema: { type: 'object', ...combined } }))).toContain('args:')
})

test('a declaration has one line for each tool, with its first sentence behind it', () => {
  const lines = declareTools([tool('echo', { description: 'Says it back. Always.' }), tool('quiet')]).split('\n')

  expect(lines).toContain('echo():R // Says it back.')
  expect(lines).toContain('quiet():R')
})

test('a declaration is valid TypeScript whatever a server writes into names and descriptions', () => {
  const text = declareTools([
    tool('*/ evil', { description: 'ends */ here\u2028} declare const stolen: 1 //' }),
    tool('new', { description: '`${x}` "quoted" \\ back' }),
    { ...tool('日本語'), server: '1-odd' },
  ])

  expect(() => stripTypeScriptTypes(text)).not.toThrow()
  expect(text.split('\n').filter((line) => line.startsWith('} declare'))).toEqual([])
})

test('the published servers cost a model at most 16% of their raw listing', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'capstan-signature-'))
  try {
    const { tools, listings } = await publishedTools(folder)

    const declared = declareTools(tools)

    const raw = listings.reduce((sum, listing) => sum + encode(listing).length, 0)
    expect(tools.length).toBeGreaterThan(30)
    expect(encode(declared).length / raw).toBeLessThanOrEqual(0.16)
    expect(() => stripTypeScriptTypes(declared)).not.toThrow()
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
