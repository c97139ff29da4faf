import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogle } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { stepCountIs, streamText, tool, type LanguageModel, type ModelMessage } from 'ai'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { aiSdkTools } from '../../src/hosts/ai-sdk.ts'
import type { Invocation } from '../../src/hosts/tools/index.ts'
import { fixture } from '../fixtures/fixture.ts'
import { startModelServer, type Dialect, type ModelServer, type Scripted } from '../fixtures/model-server.ts'
import { openManager } from './tools/open-manager.ts'

const stopWhen = stepCountIs(3)
const say = (message: string): Scripted => ({
  calls: [{ id: 'call_1', name: 'echo__echo', json: JSON.stringify({ message }) }],
})

describe('through the real providers of the ai package', () => {
  test.each<Dialect>(['anthropic', 'responses', 'chat', 'google'])(
    'a model calls a tool and reads what it gave: %s',
    async (dialect) => {
      await using server = await startModelServer({ dialect, script: [say('ahoy'), { text: 'It said ahoy.' }] })
      await using manager = await openManager({ echo: fixture('echo') })
      const { tools } = aiSdkTools(manager, { allow: ['echo.echo'] })

      const { text } = streamText({ model: modelOf(dialect, server), tools, prompt: 'Say ahoy.', stopWhen })

      expect(await text).toBe('It said ahoy.')
      expect(server.requests[0]?.text).toContain('Says the message again. It changes nothing.')
      const [, ...afterCall] = server.requests[1]?.text.split('Say ahoy.') ?? []
      expect(afterCall.join('')).toMatch(/echo__echo.*ahoy.*ahoy/)
    },
  )
})

describe('the tool set', () => {
  test('stands beside tools of the host, which keep their types', async () => {
    await using manager = await openManager({ echo: fixture('echo') })
    const add = tool({
      description: 'Adds.',
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      execute: ({ a, b }) => a + b,
    })
    const { tools } = aiSdkTools(manager, { reserved: ['add'] })

    const all = { ...tools, add }

    expectTypeOf(all.add).toEqualTypeOf<typeof add>()
    expect(Object.keys(all)).toContain('echo__add')
  })

  test('tells a model of failures, and lets the host watch and stop calls', async () => {
    await using server = await startModelServer({
      dialect: 'anthropic',
      script: [
        {
          calls: [
            { id: 'c1', name: 'echo__fail', json: '{"reason":"no ink"}' },
            { id: 'c2', name: 'echo__slow', json: '{"ms":60000}' },
          ],
        },
        { text: 'Too bad.' },
      ],
    })
    await using manager = await openManager({ echo: fixture('echo') })
    const seen: Invocation[] = []
    const { tools } = aiSdkTools(manager, {
      onInvocation: (invocation) => {
        seen.push(invocation)
        invocation.on(() => {
          if (invocation.state.kind === 'processing' && invocation.request.id === 'c2') invocation.abort()
        })
      },
    })

    await streamText({ model: modelOf('anthropic', server), tools, prompt: 'Go.', stopWhen }).text

    const results = resultsIn(server.requests[1]?.body)
    expect(results).toMatchObject([
      { tool_use_id: 'c1', is_error: true },
      { tool_use_id: 'c2', is_error: true },
    ])
    expect(JSON.stringify(results)).toMatch(/Failed: no ink.*Stopped by the user/)
    expect(seen.map(({ request }) => request.name)).toEqual(['mcp.echo.fail', 'mcp.echo.slow'])
  })

  test('hands pictures to the model as pictures', async () => {
    await using server = await startModelServer({
      dialect: 'anthropic',
      script: [{ calls: [{ id: 'c1', name: 'echo__mixed', json: '{}' }] }, { text: 'Nice.' }],
    })
    await using manager = await openManager({ echo: fixture('echo') })
    const { tools } = aiSdkTools(manager)

    await streamText({ model: modelOf('anthropic', server), tools, prompt: 'Show.', stopWhen }).text

    expect(resultsIn(server.requests[1]?.body)).toMatchObject([
      {
        content: [
          { type: 'text', text: 'first' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png' } },
          { type: 'text', text: 'last' },
        ],
      },
    ])
  })

  test('tells those who follow of later changes, with the tools from then on', async () => {
    await using manager = await openManager({ changing: fixture('changes-list') })
    const first = aiSdkTools(manager)
    const changed = Promise.withResolvers<readonly string[]>()
    using _following = first.follow((next) => changed.resolve(Object.keys(next.tools)))
    const request = manager.request({ id: '1', name: 'changing.grow', input: {} })
    if (request === undefined) throw new Error('no tool')

    await manager.start(request).result

    expect(await changed.promise).toContain('changing__extra-1')
    expect(Object.keys(first.tools)).not.toContain('changing__extra-1')
  })
})

describe('approval', () => {
  test('refuses what nothing allows when nobody is asked, and the model is told', async () => {
    await using server = await startModelServer({ dialect: 'anthropic', script: [say('hi'), { text: 'As you wish.' }] })
    await using manager = await openManager({ echo: fixture('echo') }, { alwaysAllow: [] })
    const { tools } = aiSdkTools(manager)

    await streamText({ model: modelOf('anthropic', server), tools, prompt: 'Go.', stopWhen }).text

    expect(JSON.stringify(resultsIn(server.requests[1]?.body))).toContain('needs approval')
  })

  test.each([
    ['runs the call after a yes', true, 'ahoy'],
    ['never runs it after a no, and tells the model why', false, 'Not today.'],
  ])('through the SDK %s', async (_what, approved, told) => {
    await using server = await startModelServer({ dialect: 'anthropic', script: [say('ahoy'), { text: 'Done.' }] })
    await using manager = await openManager({ echo: fixture('echo') }, { alwaysAllow: [] })
    const { tools, toolApproval } = aiSdkTools(manager)
    const model = modelOf('anthropic', server)
    const messages: ModelMessage[] = [{ role: 'user', content: 'Go.' }]

    const first = streamText({ model, tools, toolApproval, messages, stopWhen })
    const { messages: written } = await first.response
    const asked = (await first.content).find((part) => part.type === 'tool-approval-request')
    if (asked === undefined) throw new Error('nobody was asked')
    const answer = { type: 'tool-approval-response', approvalId: asked.approvalId, approved } as const
    const reply: ModelMessage = { role: 'tool', content: [{ ...answer, ...(approved ? {} : { reason: told }) }] }
    const second = streamText({ model, tools, toolApproval, messages: [...messages, ...written, reply], stopWhen })

    expect(await second.text).toBe('Done.')
    expect(JSON.stringify(resultsIn(server.requests[1]?.body))).toContain(told)
  })

  test('through the SDK asks nothing about a tool that is allowed already', async () => {
    await using server = await startModelServer({ dialect: 'anthropic', script: [say('ahoy'), { text: 'Done.' }] })
    await using manager = await openManager(
      { echo: { ...fixture('echo'), alwaysAllow: ['echo'] } },
      { alwaysAllow: [] },
    )
    const { tools, toolApproval } = aiSdkTools(manager)

    const { text } = streamText({
      model: modelOf('anthropic', server),
      tools,
      toolApproval,
      prompt: 'Go.',
      stopWhen,
    })

    expect(await text).toBe('Done.')
  })
})

function modelOf(dialect: Dialect, { url: baseURL }: ModelServer): LanguageModel {
  const apiKey = 'none'
  if (dialect === 'anthropic') return createAnthropic({ apiKey, baseURL })('claude-sonnet-4-5')
  if (dialect === 'google') return createGoogle({ apiKey, baseURL })('scripted')
  if (dialect === 'responses') return createOpenAI({ apiKey, baseURL })('scripted')
  return createOpenAICompatible({ name: 'scripted', baseURL })('scripted')
}

/** The results of tools in a request of the Messages API. */
function resultsIn(body: { readonly [key: string]: unknown } | undefined): readonly unknown[] {
  const messages = z
    .array(z.object({ content: z.array(z.looseObject({ type: z.string() })) }))
    .parse(body?.['messages'])
  return messages.flatMap(({ content }) => content).filter(({ type }) => type === 'tool_result')
}
