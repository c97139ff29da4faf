import { expect, test } from 'vitest'
import { threadSpecs, type SpecsDifference } from '../../../src/hosts/tools/specs.ts'
import { toolOf } from '../../cli/literal-hub.ts'
import { fixture } from '../../fixtures/fixture.ts'
import { begin, hasTool, openManager, told, until } from './open-manager.ts'

const inputSchema = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }
const read = toolOf('files', 'read', { description: 'Reads a file.', inputSchema })
const still = (...tools: readonly ReturnType<typeof toolOf>[]) => ({
  now: () => tools,
  onChange: () => ({ [Symbol.dispose]: () => {} }),
})

test('defines tools as the Messages API of Anthropic wants them', () => {
  const { tools } = threadSpecs(still(read), { provider: 'anthropic' })

  expect(tools).toEqual([{ name: 'files__read', description: 'Reads a file.', input_schema: inputSchema }])
})

test('defines tools as the two APIs of OpenAI want them', () => {
  const chat = threadSpecs(still(read), { provider: 'openai' })
  const responses = threadSpecs(still(read), { provider: 'openai-responses' })

  const definition = { name: 'files__read', description: 'Reads a file.', parameters: inputSchema }
  expect(chat.tools).toEqual([{ type: 'function', function: definition }])
  expect(responses.tools).toEqual([{ type: 'function', ...definition, strict: false }])
})

test('defines tools as the Gemini API of Google wants them: one list, and no schema where nothing is asked for', () => {
  const { tools } = threadSpecs(still(read, toolOf('files', 'roots')), { provider: 'google' })
  const none = threadSpecs(still(), { provider: 'google' })

  expect(tools).toEqual([
    {
      functionDeclarations: [
        { name: 'files__read', description: 'Reads a file.', parametersJsonSchema: inputSchema },
        { name: 'files__roots', description: 'roots' },
      ],
    },
  ])
  expect(none.tools).toEqual([])
})

test('shortens a description for OpenAI, which refuses a whole request for a long one', () => {
  const long = toolOf('files', 'read', { description: `${'a'.repeat(1022)}😀 and more` })

  const openai = threadSpecs(still(long), { provider: 'openai' }).tools[0]?.function.description
  const anthropic = threadSpecs(still(long), { provider: 'anthropic' }).tools[0]?.description

  expect(openai).toBe(`${'a'.repeat(1022)}…`)
  expect(anthropic).toBe(long.description)
})

test('gives a thread only the tools that it is allowed, and makes no request of the others', () => {
  const specs = threadSpecs(still(read, toolOf('files', 'write'), toolOf('web', 'fetch')), {
    provider: 'anthropic',
    allow: ['files.*'],
    deny: ['write'],
  })

  expect(specs.names).toEqual(['mcp.files.read'])
  expect(specs.request({ id: '1', name: 'files__write', input: {} })).toBeUndefined()
  expect(specs.request({ id: '1', name: 'files__read', input: {} })).toMatchObject({
    kind: 'mcp',
    id: '1',
    name: 'mcp.files.read',
  })
})

test('gives names that all providers take, and none that the host has, and finds the tools again by them', () => {
  const odd = [toolOf('7zip', 'list'), toolOf('files', 'ünïcode tool'), toolOf('files', 'x'.repeat(200)), read]
  const specs = threadSpecs(still(...odd), { provider: 'generic', reserved: ['files__read'] })

  const names = specs.tools.map(({ name }) => name)

  expect(names.filter((name) => !/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(name))).toEqual([])
  expect(new Set(names).size).toBe(4)
  expect(names).not.toContain('files__read')
  expect(names.map((name) => specs.request({ id: '1', name, input: {} })?.name)).toEqual([
    'mcp.7zip.list',
    'mcp.files.ünïcode tool',
    `mcp.files.${'x'.repeat(200)}`,
    'mcp.files.read',
  ])
})

test('keeps the names of a thread when a tool comes that would take one of them', () => {
  let tools = [toolOf('a', 'b__c')]
  let tell = (): void => {}
  const source = {
    now: () => tools,
    onChange: (listener: () => void) => {
      tell = listener
      return { [Symbol.dispose]: () => {} }
    },
  }
  const specs = threadSpecs(source, { provider: 'generic' })
  const later: string[][] = []
  specs.follow((next) => later.push(next.tools.map(({ name }) => name)))

  tools = [toolOf('a', 'b__c'), toolOf('a__b', 'c')]
  tell()

  expect(specs.tools[0]?.name).toBe('a__b__c')
  expect(later).toEqual([['a__b__c', expect.stringMatching(/^a__b__c_[0-9a-f]{8}$/)]])
})

test('stays as it was when tools change, and tells those who follow what is different', async () => {
  await using manager = await openManager({ changing: fixture('changes-list'), echo: fixture('echo') })
  const specs = manager.specs({ provider: 'anthropic', deny: ['echo.*'] })
  const before = specs.tools.map(({ name }) => name)
  const change = Promise.withResolvers<SpecsDifference>()
  using _following = specs.follow((next, difference) => {
    expect(next.names).toContain('mcp.changing.extra-1')
    change.resolve(difference)
  })

  await begin(manager, 'changing.grow').result

  expect(await change.promise).toEqual({ added: ['mcp.changing.extra-1'], removed: [], changed: [] })
  expect(specs.tools.map(({ name }) => name)).toEqual(before)
})

test('tells of a tool whose description changed, because a model may have to be told', async () => {
  await using manager = await openManager({ changing: fixture('changes-list') })
  const change = Promise.withResolvers<SpecsDifference>()
  using _following = manager.specs({ provider: 'openai' }).follow((_next, difference) => change.resolve(difference))

  await begin(manager, 'changing.renew').result

  expect(await change.promise).toEqual({ added: [], removed: [], changed: ['mcp.changing.grow'] })
})

test('lets a thread call a tool that has gone since, and answers that it has', async () => {
  await using manager = await openManager({ changing: fixture('changes-list') })
  await begin(manager, 'changing.grow').result
  await until(manager, () => hasTool(manager, 'mcp.changing.extra-1'))
  const specs = manager.specs({ provider: 'generic' })
  const request = specs.request({ id: '1', name: 'changing__extra-1', input: {} })
  if (request === undefined) throw new Error('the tool is not there')
  await begin(manager, 'changing.shrink').result
  await until(manager, () => !hasTool(manager, 'mcp.changing.extra-1'))

  const invocation = manager.start(request)

  expect(await told(manager, invocation)).toContain('has no tool "extra-1"')
  expect(invocation.state).toMatchObject({ kind: 'error', code: 'tool_unknown' })
})
