import { describe, expect, test } from 'vitest'
import { fixture } from '../../fixtures/fixture.ts'
import { call, editorWorld, newSession, prompt, updatesOf } from './editor.ts'

const servers = { echo: { ...fixture('echo'), alwaysAllow: ['look'], deny: ['erase'] } }
const calls = [call('echo__look', {}, 'c1'), call('echo__add', { a: 41 }, 'c2'), call('echo__erase', {}, 'c3')]
const script = [{ calls }, { text: 'Done.' }]

describe('modes', () => {
  test('ask, and are there as modes and as an option', async () => {
    await using place = await editorWorld()

    const { modes, configOptions } = await newSession(place)

    expect(modes).toMatchObject({
      currentModeId: 'ask',
      availableModes: [{ id: 'ask' }, { id: 'allowed' }, { id: 'all' }],
    })
    expect(configOptions).toMatchObject([
      { id: 'mode', category: 'mode', currentValue: 'ask' },
      { id: 'model', category: 'model', currentValue: 'scripted', options: [{ value: 'scripted' }] },
    ])
  })

  test('all: nobody is asked, and what is denied does not run', async () => {
    await using place = await editorWorld({ script, servers })
    const { editor } = place
    const { sessionId } = await newSession(place)

    await editor.request('session/set_mode', { sessionId, modeId: 'all' })
    await prompt(editor, sessionId, 'go')

    expect(editor.asked).toEqual([])
    expect(place.model.requests[1]?.text).toContain('"42"')
    const ends = updatesOf(editor.updates, 'tool_call_update').filter(({ status }) => status === 'failed')
    expect(ends.map(({ toolCallId }) => toolCallId)).toEqual(['c3'])
    expect(updatesOf(editor.updates, 'current_mode_update')).toEqual([
      { sessionUpdate: 'current_mode_update', currentModeId: 'all' },
    ])
    expect(updatesOf(editor.updates, 'config_option_update').at(-1)?.configOptions).toMatchObject([
      { id: 'mode', currentValue: 'all' },
      {},
    ])
  })

  test('allowed: nobody is asked, and only what has been allowed runs', async () => {
    await using place = await editorWorld({ script, servers })
    const { editor } = place
    const { sessionId } = await newSession(place)

    const chosen = await editor.request('session/set_config_option', { sessionId, configId: 'mode', value: 'allowed' })
    await prompt(editor, sessionId, 'go')

    expect(chosen).toMatchObject({ configOptions: [{ currentValue: 'allowed' }, {}] })
    expect(editor.asked).toEqual([])
    const completed = updatesOf(editor.updates, 'tool_call_update').filter(({ status }) => status === 'completed')
    expect(completed.map(({ toolCallId }) => toolCallId)).toEqual(['c1'])
    expect(place.model.requests[1]?.text).toContain('only tools run that have been allowed')
  })

  test.each([
    ['a mode', 'session/set_mode', { modeId: 'yolo' }],
    ['an option', 'session/set_config_option', { configId: 'colour', value: 'red' }],
    ['a value', 'session/set_config_option', { configId: 'mode', value: 'yolo' }],
    ['a switch', 'session/set_config_option', { configId: 'mode', type: 'boolean', value: true }],
    ['a model', 'session/set_config_option', { configId: 'model', value: 'nobody/x' }],
  ])('%s that does not exist is refused', async (_, method, params) => {
    await using place = await editorWorld({ isMute: true, env: { ANTHROPIC_API_KEY: 'k' } })
    const { sessionId } = await newSession(place)

    await expect(place.editor.request(method, { sessionId, ...params })).rejects.toMatchObject({ code: -32602 })
  })
})

describe('the model', () => {
  test('can be chosen in the editor or typed, and the editor knows', async () => {
    await using place = await editorWorld({ script: [{ text: 'One.' }, { text: 'Two.' }] })
    const { editor, model } = place
    const { sessionId } = await newSession(place)

    await editor.request('session/set_config_option', { sessionId, configId: 'model', value: 'other' })
    await prompt(editor, sessionId, 'who?')
    await prompt(editor, sessionId, '/model third')
    await prompt(editor, sessionId, 'and now?')

    expect(model.requests.map(({ body }) => body['model'])).toEqual(['other', 'third'])
    expect(updatesOf(editor.updates, 'config_option_update').at(-1)?.configOptions).toMatchObject([
      {},
      { currentValue: 'third', options: [{ value: 'third' }, { value: 'scripted' }] },
    ])
  })

  test('can be named when the agent is started', async () => {
    await using place = await editorWorld({ args: ['--model', 'named'] })

    const { configOptions } = await newSession(place)

    expect(configOptions?.[1]).toMatchObject({ currentValue: 'named' })
  })
})
