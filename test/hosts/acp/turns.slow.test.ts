import { describe, expect, test } from 'vitest'
import { fixture } from '../../fixtures/fixture.ts'
import { call, choosing, editorWorld, newSession, prompt, textOf, updatesOf } from './editor.ts'

const echo = { echo: fixture('echo') }

describe('a turn in an editor', () => {
  test('is told as it happens: thoughts, text, the call in all its states, and what the context holds', async () => {
    const script = [
      { thinking: 'Hm.', text: 'Let me add. ', calls: [call('echo__add', { a: 1, b: 2 })] },
      { text: 'It is three ✓.' },
    ]
    await using place = await editorWorld({ script, servers: echo, answers: choosing('once') })
    const { editor } = place
    const { sessionId } = await newSession(place)

    const stopReason = await prompt(editor, sessionId, '1+2?')

    expect(stopReason).toBe('end_turn')
    expect(textOf(editor.updates)).toBe('Let me add. It is three ✓.')
    expect(textOf(editor.updates, 'agent_thought_chunk')).toBe('Hm.')
    const told = editor.updates.filter(({ sessionUpdate }) => sessionUpdate.startsWith('tool_call'))
    expect(told).toEqual([
      {
        sessionUpdate: 'tool_call',
        toolCallId: 'c1',
        title: 'echo__add',
        name: 'echo__add',
        kind: 'other',
        status: 'pending',
      },
      {
        sessionUpdate: 'tool_call_update',
        toolCallId: 'c1',
        title: 'echo.add',
        name: 'echo.add',
        kind: 'other',
        status: 'pending',
        rawInput: { a: 1, b: 2 },
      },
      { sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'in_progress' },
      {
        sessionUpdate: 'tool_call_update',
        toolCallId: 'c1',
        status: 'completed',
        content: [{ type: 'content', content: { type: 'text', text: '3' } }],
      },
    ])
    expect(updatesOf(editor.updates, 'usage_update').at(-1)).toMatchObject({ used: 15, size: 128_000 })
    expect(updatesOf(editor.updates, 'session_info_update').at(-1)).toMatchObject({ title: '1+2?' })
  })

  test('is over only when the editor has been told everything', async () => {
    const text = 'many words '.repeat(500)
    await using place = await editorWorld({ script: [{ text }] })
    const { sessionId } = await newSession(place)

    await prompt(place.editor, sessionId, 'talk')

    const last = place.editor.lines.at(-1)
    expect(last).toContain('"stopReason":"end_turn"')
    expect(textOf(place.editor.updates)).toBe(text)
  })

  test('tells the progress of a call, the files that it is about, and pictures in its result', async () => {
    const script = [
      {
        calls: [
          call('echo__slow', { ms: 20, steps: 2 }, 'c1'),
          call('echo__count', { file: '/etc/hostname' }, 'c2'),
          call('echo__count', { file: 'relative.txt' }, 'c3'),
          call('echo__image', {}, 'c4'),
        ],
      },
      { text: 'Done.' },
    ]
    await using place = await editorWorld({ script, servers: echo, answers: choosing('once') })
    const { editor } = place
    const { sessionId } = await newSession(place)

    await prompt(editor, sessionId, 'go')

    const about = (id: string) => editor.updates.filter((update) => 'toolCallId' in update && update.toolCallId === id)
    expect(JSON.stringify(about('c1'))).toContain('1 of 2: step 1')
    expect(about('c2')).toContainEqual(expect.objectContaining({ locations: [{ path: '/etc/hostname' }] }))
    expect(JSON.stringify(about('c3'))).not.toContain('locations')
    expect(JSON.stringify(about('c4').at(-1))).toContain('"type":"image"')
  })

  test('shows the ends of a large result, of which the model has all', async () => {
    const script = [{ calls: [call('echo__big', { bytes: 100_000 })] }, { text: 'Done.' }]
    await using place = await editorWorld({ script, servers: echo, answers: choosing('once') })
    const { sessionId } = await newSession(place)

    await prompt(place.editor, sessionId, 'go')

    const shown = JSON.stringify(updatesOf(place.editor.updates, 'tool_call_update').at(-1))
    expect(shown).toContain('67232 more characters')
    expect(shown.length).toBeLessThan(40_000)
    expect(place.model.requests[1]?.text).toContain('x'.repeat(10_000))
  })

  test('ends with the reason that the model was cut off', async () => {
    await using place = await editorWorld({ script: [{ text: 'And then', end: 'length' }] })
    const { sessionId } = await newSession(place)

    const stopReason = await prompt(place.editor, sessionId, 'tell me')

    expect(stopReason).toBe('max_tokens')
    expect(textOf(place.editor.updates, 'agent_thought_chunk')).toContain('Ask it to go on.')
  })

  test('says that a reply broke off where it begins anew', async () => {
    await using place = await editorWorld({ script: [{ text: 'It is th', cutAt: 0.9 }, { text: 'It is three.' }] })
    const { sessionId } = await newSession(place)

    await prompt(place.editor, sessionId, '1+2?')

    expect(textOf(place.editor.updates)).toMatch(/^It is.*broke off here.*It is three\.$/s)
  })

  test('fails with the reason and the next step where the provider refuses', async () => {
    await using place = await editorWorld({ script: [{ status: 401 }] })
    const { sessionId } = await newSession(place)

    const turn = prompt(place.editor, sessionId, 'hi')

    await expect(turn).rejects.toMatchObject({
      code: -32603,
      message: expect.stringContaining('scripted 401\nCheck the key'),
      data: { code: 'model_refused' },
    })
  })

  test('says without a model how to set one, and everything but the answer works', async () => {
    await using place = await editorWorld({ isMute: true, servers: echo })
    const { editor } = place
    const { sessionId, configOptions } = await newSession(place)

    const stopReason = await prompt(editor, sessionId, 'hi')
    await prompt(editor, sessionId, '/call echo.add a=40 b=2')

    expect(stopReason).toBe('end_turn')
    expect(configOptions?.map(({ id }) => id)).toEqual(['mode'])
    expect(textOf(editor.updates)).toContain('No model is set.\n\nSet ANTHROPIC_API_KEY')
    expect(textOf(editor.updates)).toContain('```\n42\n```')
  })

  test('says what is wrong with the name of a model instead of having no session', async () => {
    await using place = await editorWorld({ isMute: true, env: { CAPSTAN_MODEL: 'nobody/x' } })
    const { sessionId } = await newSession(place)

    await prompt(place.editor, sessionId, 'hi')

    expect(textOf(place.editor.updates)).toContain('"nobody/x" names no provider')
  })
})

describe('cancelling', () => {
  test('stops the reply, and the next prompt goes on', async () => {
    await using place = await editorWorld({ script: [{ text: 'One two three', stallsAfter: 3 }, { text: 'Here.' }] })
    const { editor, model } = place
    const { sessionId } = await newSession(place)

    const turn = prompt(editor, sessionId, 'count')
    await editor.seen(({ params }) => JSON.stringify(params ?? {}).includes('agent_message_chunk'))
    editor.notify('session/cancel', { sessionId })
    const next = prompt(editor, sessionId, 'still there?')

    expect(await turn).toBe('cancelled')
    await model.hungUp
    expect(await next).toBe('end_turn')
    expect(textOf(editor.updates)).toMatch(/Here\.$/)
  })

  test('takes back the question that is open, and stops a call at its server', async () => {
    const script = [
      { calls: [call('echo__slow', { ms: 60_000 }, 'c1')] },
      { calls: [call('echo__add', { a: 1 }, 'c2')] },
      { text: 'Fine.' },
    ]
    const servers = { echo: { ...fixture('echo'), alwaysAllow: ['slow'] } }
    await using place = await editorWorld({ script, servers })
    const { editor } = place
    const { sessionId } = await newSession(place)

    const slow = prompt(editor, sessionId, 'slowly')
    await editor.seen(({ params }) => JSON.stringify(params ?? {}).includes('in_progress'))
    editor.notify('session/cancel', { sessionId })
    const asking = prompt(editor, sessionId, 'now ask')
    const question = await editor.seen(({ method }) => method === 'session/request_permission')
    editor.notify('session/cancel', { sessionId })

    expect([await slow, await asking]).toEqual(['cancelled', 'cancelled'])
    const takenBack = await editor.seen(({ method }) => method === '$/cancel_request')
    expect(takenBack.params).toEqual({ requestId: question.id })
    const ends = updatesOf(editor.updates, 'tool_call_update').filter(({ status }) => status === 'failed')
    expect(ends.map(({ toolCallId }) => toolCallId)).toEqual(['c1', 'c2'])
  })

  test('drops the prompts that wait behind the turn as well', async () => {
    await using place = await editorWorld({ script: [{ text: 'One two', stallsAfter: 2 }] })
    const { editor, model } = place
    const { sessionId } = await newSession(place)

    const turns = [prompt(editor, sessionId, 'first'), prompt(editor, sessionId, 'second')]
    await model.received(1)
    editor.notify('session/cancel', { sessionId })

    expect(await Promise.all(turns)).toEqual(['cancelled', 'cancelled'])
    expect(model.requests).toHaveLength(1)
  })
})
