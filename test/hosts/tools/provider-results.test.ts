import { expect, test } from 'vitest'
import type { Provider, ToolManager } from '../../../src/hosts/tools/index.ts'
import { fixture } from '../../fixtures/fixture.ts'
import { openManager } from './open-manager.ts'

const pixel = expect.stringMatching(/^iVBOR/)

test('answers in the shape of each provider, with pictures where it takes them', async () => {
  await using manager = await openManager({ echo: fixture('echo') })

  expect(await answer(manager, 'anthropic', 'echo__mixed')).toEqual({
    type: 'tool_result',
    tool_use_id: 'call-1',
    content: [
      { type: 'text', text: 'first' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } },
      { type: 'text', text: 'last' },
    ],
  })
  expect(await answer(manager, 'openai', 'echo__mixed')).toEqual({
    role: 'tool',
    tool_call_id: 'call-1',
    content: 'first\n[image/png, 70 bytes]\nlast',
  })
  expect(await answer(manager, 'openai-responses', 'echo__mixed')).toEqual({
    type: 'function_call_output',
    call_id: 'call-1',
    output: [
      { type: 'input_text', text: 'first' },
      { type: 'input_image', image_url: expect.stringMatching(/^data:image\/png;base64,iVBOR/), detail: 'auto' },
      { type: 'input_text', text: 'last' },
    ],
  })
  expect(await answer(manager, 'google', 'echo__mixed')).toEqual([
    {
      functionResponse: {
        id: 'call-1',
        name: 'echo__mixed',
        response: { output: 'first\n[image/png, 70 bytes]\nlast' },
      },
    },
    { inlineData: { mimeType: 'image/png', data: pixel } },
  ])
})

test('says in the way of each provider that a call failed', async () => {
  await using manager = await openManager({ echo: fixture('echo') })

  expect(await answer(manager, 'anthropic', 'echo__fail')).toMatchObject({ is_error: true })
  expect(await answer(manager, 'openai', 'echo__fail')).toMatchObject({
    content: 'The tool call failed:\nFailed: it was asked to fail',
  })
  expect(await answer(manager, 'google', 'echo__fail')).toMatchObject([
    { functionResponse: { response: { error: 'Failed: it was asked to fail' } } },
  ])
})

test('answers with words where a tool gave nothing, because providers refuse empty answers', async () => {
  await using manager = await openManager({ echo: fixture('echo') })

  expect(await answer(manager, 'anthropic', 'echo__empty')).toMatchObject({
    content: [{ type: 'text', text: '(no output)' }],
  })
  expect(await answer(manager, 'openai', 'echo__empty')).toMatchObject({ content: '(no output)' })
})

async function answer(manager: ToolManager, provider: Provider, name: string): Promise<unknown> {
  const specs = manager.specs({ provider })
  const request = specs.request({ id: 'call-1', name, input: {} })
  if (request === undefined) throw new Error(`no tool ${name}`)
  return specs.answer(await manager.start(request).result)
}
