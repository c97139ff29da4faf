import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import type { AuditRecord } from '../../src/gateway/audit.ts'
import type { Caller } from '../../src/gateway/caller.ts'
import type { AccessRules } from '../../src/policy/access.ts'
import { createSandbox } from '../../src/sandbox/sandbox.ts'
import { fixture } from '../fixtures/fixture.ts'
import { openTestHub, textOf } from '../hub/makers.ts'
import { connect, eras, openBench, type ConnectWishes } from './doors.ts'

const servers = { one: fixture('echo'), two: fixture('echo') }

function caller(mode: Caller['mode'], ...rules: readonly AccessRules[]): Caller {
  return { name: 'anna', rules, mode }
}

describe('the rules of a caller', () => {
  test('take tools, prompts and resources of other servers out of every list', async () => {
    await using bench = await openBench(servers)
    await using door = await connect(bench.gateway, 'modern', { caller: caller('all', { servers: ['two'] }) })

    const { tools } = await door.client.listTools()
    const { prompts } = await door.client.listPrompts()
    const { resources } = await door.client.listResources()

    expect(new Set(tools.map(({ name }) => name.split('__')[0]))).toEqual(new Set(['two']))
    expect(prompts.every(({ name }) => name.startsWith('two__'))).toBe(true)
    expect(resources).toHaveLength(2)
  })

  test.each(['all', 'meta'] as const)(
    'keep a denied tool from running in mode %s, and from being found',
    async (mode) => {
      await using bench = await openBench(servers)
      await using door = await connect(bench.gateway, 'modern', { caller: caller(mode, { deny: ['one.echo'] }) })
      const { client } = door
      const direct = client.callTool({ name: 'one__echo', arguments: { message: 'x' } })
      await expect(direct).rejects.toMatchObject({ code: -32602 })

      const viaMeta = client.callTool({
        name: 'call_tool',
        arguments: { name: 'one__echo', arguments: { message: 'x' } },
      })
      await expect(viaMeta).rejects.toMatchObject({ code: -32602 })
      if (mode === 'meta') {
        const found = await client.callTool({ name: 'search_tools', arguments: { query: 'says the message again' } })
        expect(textOf(found)).toContain('two__echo')
        expect(textOf(found)).not.toContain('one__echo')
      }
    },
  )

  test('hold in code too: only what is allowed unasked is there', async () => {
    await using hub = await openTestHub(servers, { sandbox: async () => createSandbox({ spareMs: 0 }) })
    await using bench = await openBench({}, { openHub: () => hub })
    const rules = { deny: ['one.echo'], ask: ['two.add'] }
    await using door = await connect(bench.gateway, 'modern', { caller: caller('code', rules) })
    const run = async (code: string) => textOf(await door.client.callTool({ name: 'exec', arguments: { code } }))

    const { tools } = await door.client.listTools()

    expect(tools.map(({ name }) => name)).toEqual(['search_tools', 'exec'])
    expect(await run('await tools.two.echo({ message: "hi" })')).toBe('hi')
    expect(await run('await tools.one.echo({ message: "hi" })')).toContain('No tool "echo" at server "one"')
    expect(await run('await tools.two.add({ a: 1 })')).toContain('No tool "add" at server "two"')
    expect(await run('(await search("says the message again")).map((hit) => hit.name)')).not.toContain('one.echo')
  })

  describe.each(eras)('in a %s client', (era) => {
    test.each([
      ['accept', 'hi'],
      ['decline', 'The tool one.echo needs a yes first, and there was none.'],
    ] as const)('ask first where they say so: %s', async (action, text) => {
      const messages: string[] = []
      await using bench = await openBench(servers)
      await using door = await connect(bench.gateway, era, {
        caller: caller('all', { ask: ['one.echo'] }),
        ...answeringWith(action, messages),
      })

      const result = await door.client.callTool({ name: 'one__echo', arguments: { message: 'hi' } })

      expect(textOf(result)).toBe(text)
      expect(messages).toEqual(['one: May one.echo run with {"message":"hi"}?'])
    })

    test('take silence for a no where the client cannot be asked', async () => {
      await using bench = await openBench(servers)
      await using door = await connect(bench.gateway, era, { caller: caller('all', { ask: ['one.echo'] }) })

      const result = await door.client.callTool({ name: 'one__echo', arguments: { message: 'hi' } })

      expect(result.isError).toBe(true)
      expect(textOf(result)).toContain('needs a yes')
    })
  })
})

test('every call is a line in the audit, with who, what, how and the outcome, and without arguments', async () => {
  await using bench = await openBench(servers)
  {
    await using door = await connect(bench.gateway, 'legacy', { caller: caller('meta', { ask: ['two.*'] }) })
    const call = (name: string, args: object) =>
      door.client.callTool({ name: 'call_tool', arguments: { name, arguments: args } })
    await call('one__echo', { message: 'secret' })
    await call('one__fail', {})
    await call('two__echo', { message: 'x' })
  }
  await bench.audit.settled()

  const text = await readFile(bench.auditFile, 'utf8')
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as AuditRecord)

  expect(lines.map(({ caller: who, client, tool, via, outcome }) => [who, client, tool, via, outcome])).toEqual([
    ['anna', 'test', 'one.echo', 'call_tool', 'ok'],
    ['anna', 'test', 'one.fail', 'call_tool', 'tool_error'],
    ['anna', 'test', 'two.echo', 'call_tool', 'not_allowed'],
  ])
  expect(text).not.toContain('secret')
})

function answeringWith(action: 'accept' | 'decline', messages: string[]): ConnectWishes {
  return {
    options: { capabilities: { elicitation: { form: {} } } },
    prepare: (client) =>
      client.setRequestHandler('elicitation/create', async ({ params }) => {
        messages.push(params.message)
        return { action, ...(action === 'accept' ? { content: {} } : {}) }
      }),
  }
}

test('a tool that hides text from people is told of in the log and in the audit', async () => {
  await using bench = await openBench({ one: fixture('echo'), two: fixture('hides') })
  {
    await using door = await connect(bench.gateway, 'legacy')
    await door.client.callTool({ name: 'two__add', arguments: {} })
  }
  await bench.audit.settled()

  const [line] = (await readFile(bench.auditFile, 'utf8')).trim().split('\n')
  const oddity = 'has 9 characters in its definition that nobody can see'
  expect(bench.notes).toEqual([`The tool two.add ${oddity}. Look at it: capstan inspect two.add`])
  expect(JSON.parse(line ?? '')).toMatchObject({ tool: 'two.add', oddities: [oddity] })
})
