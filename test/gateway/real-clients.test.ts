import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { ElicitRequestSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, test, vi } from 'vitest'
import { fixture } from '../fixtures/fixture.ts'
import { servedPlace, type ServedPlace } from './real-clients-place.ts'

const servers = { one: fixture('echo'), asks: fixture('asks'), old: fixture('asks', { args: ['legacy'] }) }

const doors: readonly (readonly [string, (served: ServedPlace) => Promise<Transport>])[] = [
  ['stdio', async ({ entry }) => new StdioClientTransport({ ...entry, stderr: 'ignore' })],
  ['HTTP', async ({ listen }) => new StreamableHTTPClientTransport((await listen()).url)],
]

describe.each(doors)('a client made with version 1 of the SDK, over %s', (_door, transportTo) => {
  test('lists and calls, hears of progress, and answers forms of servers of both eras', async () => {
    await using served = await servedPlace(servers)
    const client = new Client({ name: 'v1', version: '1' }, { capabilities: { elicitation: { form: {} } } })
    const content = { drink: 'tea', cups: 3 }
    client.setRequestHandler(ElicitRequestSchema, async () => ({ action: 'accept', content }))
    await client.connect(await transportTo(served))
    const steps: number[] = []
    const call = async (name: string, args = {}) =>
      client.callTool({ name, arguments: args }, undefined, { onprogress: ({ progress }) => steps.push(progress) })

    const { tools } = await client.listTools()
    const echoed = await call('one__echo', { message: 'hi' })
    await call('one__slow', { ms: 30, steps: 3 })
    const orders = [await call('asks__order'), await call('old__order')]
    const { prompts } = await client.listPrompts()
    const { contents } = await client.readResource({ uri: 'note://one' })
    await client.close()

    expect(client.getServerVersion()?.name).toBe('capstan')
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['one__echo', 'asks__order', 'old__order']))
    expect(echoed.content).toEqual([{ type: 'text', text: 'hi' }])
    // This client loses progress that arrives together with the answer (modelcontextprotocol/typescript-sdk 2580).
    expect(steps.slice(0, 2)).toEqual([1, 2])
    const order = [{ type: 'text', text: '3 tea, kept "as is"' }]
    expect(orders.map(({ content: blocks }) => blocks)).toEqual([order, order])
    expect(prompts.map(({ name }) => name)).toContain('one__greet')
    expect(contents[0]).toMatchObject({ text: '# One\n' })
  })

  test('is told of tools that come later, and of errors', async () => {
    await using served = await servedPlace({ one: fixture('changes-list') })
    const client = new Client({ name: 'v1', version: '1' })
    const told = vi.fn<() => void>()
    client.setNotificationHandler(ToolListChangedNotificationSchema, told)
    await client.connect(await transportTo(served))

    await client.callTool({ name: 'one__grow', arguments: {} })
    // It may be told before of the tools that were there from the start.
    const names = async () => (await client.listTools()).tools.map(({ name }) => name)
    await vi.waitFor(async () => expect(await names()).toContain('one__extra-1'), { timeout: 20_000 })
    const wrong = client.callTool({ name: 'one__gorw', arguments: {} })
    await expect(wrong).rejects.toMatchObject({ code: -32602, message: expect.stringContaining('one__grow') })
    await vi.waitFor(() => expect(told).toHaveBeenCalled(), { timeout: 20_000 })
    await client.close()
  })
})
