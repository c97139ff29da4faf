import { describe, expect, test } from 'vitest'
import type { ToolEntry } from '../../src/hub/api.ts'
import { chooseMode } from '../../src/gateway/surface.ts'
import { fixture } from '../fixtures/fixture.ts'
import { textOf } from '../hub/makers.ts'
import { connect, everyone, openBench } from './doors.ts'

const meta = { ...everyone, mode: 'meta' as const }

describe('mode auto', () => {
  const tool = (number: number): ToolEntry => ({
    server: 'one',
    tool: `tool-${number}`,
    id: `one.tool-${number}`,
    modelName: `one__tool-${number}`,
    description: 'word '.repeat(100),
    inputSchema: { type: 'object' },
  })

  test('is all while the definitions are cheap, and meta when they are not', () => {
    const tools = Array.from({ length: 200 }, (_, number) => tool(number))

    expect(chooseMode('auto', { tools: tools.slice(0, 50) })).toBe('all')
    expect(chooseMode('auto', { tools })).toBe('meta')
    expect(chooseMode('all', { tools })).toBe('all')
  })
})

describe('mode meta', () => {
  test('costs at most 1.5 KB, however many tools there are', async () => {
    await using bench = await openBench({ one: fixture('echo') }, { trustsHints: () => true })
    await using door = await connect(bench.gateway, 'legacy', { caller: meta })

    const { tools } = await door.client.listTools()

    expect(tools.map(({ name }) => name)).toEqual(['search_tools', 'inspect_tool', 'call_tool', 'call_read_only_tool'])
    expect(Buffer.byteLength(JSON.stringify(tools))).toBeLessThanOrEqual(1500)
  })

  test('finds a tool, shows it and calls it', async () => {
    await using bench = await openBench({ one: fixture('echo') })
    await using door = await connect(bench.gateway, 'legacy', { caller: meta })
    const call = async (name: string, args: object) =>
      textOf(await door.client.callTool({ name, arguments: { ...args } }))

    expect(await call('search_tools', { query: 'add numbers', limit: 1 })).toMatch(
      /^one__add — Adds two numbers\.\n {2}add\(/,
    )
    expect(JSON.parse(await call('inspect_tool', { name: 'one__add' }))).toMatchObject({
      name: 'one__add',
      inputSchema: { required: ['a'] },
    })
    expect(await call('call_tool', { name: 'one__add', arguments: { a: 2, b: 3 } })).toBe('5')
    expect(await call('call_tool', { name: 'one.add', arguments: { a: 2 } })).toBe('3')
  })

  test('says what is wrong with the arguments of its own tools', async () => {
    await using bench = await openBench({ one: fixture('echo') })
    await using door = await connect(bench.gateway, 'modern', { caller: meta })

    const result = await door.client.callTool({ name: 'search_tools', arguments: { query: 5 } })

    expect(result).toMatchObject({ isError: true, content: [{ text: '"query" must be a text.' }] })
  })

  test('runs by call_read_only_tool only what says that it reads, of servers that are believed', async () => {
    await using bench = await openBench(
      { one: fixture('echo'), two: fixture('echo') },
      { trustsHints: (server) => server === 'one' },
    )
    await using door = await connect(bench.gateway, 'modern', { caller: meta })
    const call = (name: string) =>
      door.client.callTool({ name: 'call_read_only_tool', arguments: { name, arguments: { message: 'x' } } })

    expect(textOf(await call('one__echo'))).toBe('x')
    expect(await call('two__echo')).toMatchObject({ isError: true })
    expect(await call('one__erase')).toMatchObject({ isError: true })
  })
})

test('a single server keeps its own names where that is wished', async () => {
  await using bench = await openBench({ one: fixture('echo') }, { hasPrefix: false })
  await using door = await connect(bench.gateway, 'modern')

  const { tools } = await door.client.listTools()
  const { prompts } = await door.client.listPrompts()

  expect(tools.map(({ name }) => name)).toContain('bad-structured')
  expect(prompts.map(({ name }) => name)).toContain('greet')
  expect(textOf(await door.client.callTool({ name: 'echo', arguments: { message: 'hi' } }))).toBe('hi')
})
