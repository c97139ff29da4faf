import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { fixture } from '../../fixtures/fixture.ts'
import { call, choosing, editorWorld, newSession, prompt, textOf, type Message } from './editor.ts'

const servers = { echo: fixture('echo') }
const talk = [
  { thinking: 'Hm.', text: 'I will add. ', calls: [call('echo__add', { a: 1, b: 2 })] },
  { text: 'It is three.' },
]

describe('a session', () => {
  test('is loaded in another editor with all that was said and done, and goes on', async () => {
    await using place = await editorWorld({ script: [...talk, { text: 'Four.' }], servers, answers: choosing('once') })
    const { sessionId } = await newSession(place)
    await prompt(place.editor, sessionId, '1+2?')
    await using other = await place.again()

    const loaded = await other.request('session/load', { sessionId, cwd: place.home.cwd, mcpServers: [] })
    const replayed = [...other.updates].filter(({ sessionUpdate }) => sessionUpdate !== 'available_commands_update')
    await prompt(other, sessionId, 'and one more?')

    expect(loaded).toMatchObject({ modes: { currentModeId: 'ask' }, configOptions: [{}, { currentValue: 'scripted' }] })
    expect(replayed).toMatchObject([
      { sessionUpdate: 'user_message_chunk', content: { text: '1+2?' } },
      { sessionUpdate: 'agent_thought_chunk', content: { text: 'Hm.' } },
      { sessionUpdate: 'agent_message_chunk', content: { text: 'I will add. ' } },
      { sessionUpdate: 'tool_call', toolCallId: 'c1', status: 'completed', rawInput: { a: 1, b: 2 } },
      { sessionUpdate: 'agent_message_chunk', content: { text: 'It is three.' } },
    ])
    expect(place.model.requests.at(-1)?.text).toContain('It is three.')
    expect(textOf(other.updates)).toMatch(/Four\.$/)
  })

  test('is resumed without being told again', async () => {
    await using place = await editorWorld({ script: [{ text: 'One.' }, { text: 'Two.' }] })
    const { sessionId } = await newSession(place)
    await prompt(place.editor, sessionId, 'hi')
    await using other = await place.again()

    await other.request('session/resume', { sessionId, cwd: place.home.cwd })
    await prompt(other, sessionId, 'again')

    expect(textOf(other.updates)).toBe('Two.')
    expect(place.model.requests[1]?.text).toContain('One.')
  })

  test('is listed with its title for its project, wherever in it the editor stands', async () => {
    await using place = await editorWorld({ script: [{ text: 'One.' }, { text: 'Two.' }] })
    const { editor, home } = place
    const sub = join(home.cwd, 'sub')
    await mkdir(join(home.cwd, '.git'))
    await mkdir(sub)
    const elsewhere = join(home.home, 'elsewhere')
    await mkdir(elsewhere)
    const here = (await editor.request('session/new', { cwd: sub, mcpServers: [] })) as { sessionId: string }
    const there = (await editor.request('session/new', { cwd: elsewhere, mcpServers: [] })) as { sessionId: string }
    await prompt(editor, here.sessionId, 'here')
    await prompt(editor, there.sessionId, 'there')

    const [ours, all] = await Promise.all([
      editor.request('session/list', { cwd: home.cwd }),
      editor.request('session/list', {}),
    ])

    expect(ours).toMatchObject({ sessions: [{ sessionId: here.sessionId, cwd: home.cwd, title: 'here' }] })
    expect(all).toMatchObject({
      sessions: [
        { title: 'there', cwd: elsewhere },
        { title: 'here', cwd: home.cwd },
      ],
    })
  })

  test('is the same conversation that the command line keeps', async () => {
    await using place = await editorWorld({ script: [{ text: 'From the terminal.' }, { text: 'From the editor.' }] })
    await place.home.capstan(['ask', 'a question'])

    const { sessions } = (await place.editor.request('session/list', { cwd: place.home.cwd })) as {
      sessions: { sessionId: string; title: string }[]
    }
    const [{ sessionId, title } = { sessionId: '', title: '' }] = sessions
    await place.editor.request('session/load', { sessionId, cwd: place.home.cwd, mcpServers: [] })

    expect(title).toBe('a question')
    expect(textOf(place.editor.updates)).toBe('From the terminal.')
  })

  test('is closed, and its turn with it; deleted, it is gone for good', async () => {
    await using place = await editorWorld({ script: [{ text: 'One two', stallsAfter: 2 }, { text: 'Hm.' }] })
    const { editor } = place
    const { sessionId } = await newSession(place)
    const turn = prompt(editor, sessionId, 'hi')
    await place.model.received(1)

    await editor.request('session/close', { sessionId })

    expect(await turn).toBe('cancelled')
    await expect(prompt(editor, sessionId, 'hello?')).rejects.toMatchObject({ code: -32002, data: { sessionId } })
    await editor.request('session/delete', { sessionId })
    expect(await editor.request('session/list', {})).toEqual({ sessions: [] })
    const again = editor.request('session/load', { sessionId, cwd: place.home.cwd, mcpServers: [] })
    await expect(again).rejects.toMatchObject({ code: -32002 })
  })

  test('that is loaded again while its turn is under way begins anew, with one writer and nothing half said', async () => {
    await using place = await editorWorld({ script: [{ text: 'One two', stallsAfter: 3 }, { text: 'Here.' }] })
    const { editor, home } = place
    const { sessionId } = await newSession(place)
    const turn = prompt(editor, sessionId, 'first')
    await editor.seen(({ params }) => JSON.stringify(params ?? {}).includes('agent_message_chunk'))

    await editor.request('session/load', { sessionId, cwd: home.cwd, mcpServers: [] })

    expect(await turn).toBe('cancelled')
    expect(await prompt(editor, sessionId, 'second')).toBe('end_turn')
    expect(place.model.requests[1]?.text).toMatch(/first.*second/s)
  })

  test('stands beside others in the same process, each with its own folder and history', async () => {
    await using place = await editorWorld({ script: [{ text: 'A.' }, { text: 'B.' }, { text: 'A2.' }] })
    const { editor } = place
    const [one, two] = [await newSession(place), await newSession(place)]

    await prompt(editor, one.sessionId, 'first words')
    await prompt(editor, two.sessionId, 'other words')
    await prompt(editor, one.sessionId, 'more')

    expect(place.model.requests[2]?.text).toContain('first words')
    expect(place.model.requests[2]?.text).not.toContain('other words')
    const told = editor.lines.map((line) => JSON.parse(line) as Message).filter(({ params }) => textIn(params) === 'B.')
    expect(told.map(({ params }) => params?.['sessionId'])).toEqual([two.sessionId])
  })

  test.each(['nobody', '', '../../../etc/passwd', '2026'])('%j is not found', async (sessionId) => {
    await using place = await editorWorld({ script: [{ text: 'Hi.' }] })
    const { editor, home } = place
    await prompt(editor, (await newSession(place)).sessionId, 'so that there is one')

    for (const [method, params] of [
      ['session/load', { cwd: home.cwd, mcpServers: [] }],
      ['session/resume', { cwd: home.cwd }],
      ['session/prompt', { prompt: [{ type: 'text', text: 'x' }] }],
      ['session/delete', {}],
      ['session/close', {}],
    ] as const) {
      await expect(editor.request(method, { sessionId, ...params })).rejects.toMatchObject({ code: -32002 })
    }
  })
})

function textIn(params: Message['params']): string | undefined {
  const { update } = (params ?? {}) as { update?: { content?: { text?: string } } }
  return update?.content?.text
}
