import { describe, expect, test } from 'vitest'
import { fixture } from '../../fixtures/fixture.ts'
import { call, choosing, editorWorld, newSession, prompt, refused, textOf, type Answering } from './editor.ts'

const echo = { echo: fixture('echo') }
const add = { calls: [call('echo__add', { a: 1, b: 2 })] }
const done = { text: 'Done.' }

describe('the question whether a call may run', () => {
  test('shows what would run, and offers the answers of a session on the terminal, the widest never first or last of its kind', async () => {
    await using place = await editorWorld({ script: [add, done], servers: echo, answers: choosing('once') })
    const { sessionId } = await newSession(place)

    await prompt(place.editor, sessionId, '1+2?')

    expect(place.editor.asked).toHaveLength(1)
    expect(place.editor.asked[0]?.params).toMatchObject({
      sessionId,
      toolCall: { toolCallId: 'c1', title: 'echo.add {"a":1,"b":2}', kind: 'other', rawInput: { a: 1, b: 2 } },
      options: [
        { optionId: 'once', kind: 'allow_once' },
        { optionId: 'session', kind: 'allow_always' },
        { optionId: 'always-server', kind: 'allow_always', name: 'Always allow all tools of echo in this project' },
        { optionId: 'always-tool', kind: 'allow_always', name: 'Always allow echo.add in this project' },
        { optionId: 'no', kind: 'reject_once' },
      ],
    })
    const shown = JSON.stringify(place.editor.asked[0]?.params)
    expect(shown).toContain('says that it only reads')
    expect(shown).toContain(String.raw`\"a\": 1`)
  })

  test('is not asked again in the session after a yes for it, and is asked again in another', async () => {
    const script = [add, { calls: [call('echo__add', { a: 3 }, 'c2')] }, done, add, done]
    await using place = await editorWorld({ script, servers: echo, answers: choosing('session') })
    const { editor } = place
    const first = await newSession(place)
    await prompt(editor, first.sessionId, 'twice')
    const second = await newSession(place)

    await prompt(editor, second.sessionId, 'once more')

    expect(editor.asked.map(({ params }) => params['sessionId'])).toEqual([first.sessionId, second.sessionId])
  })

  test('is not asked again by any editor after a yes for good', async () => {
    await using place = await editorWorld({
      script: [add, done, add, done],
      servers: echo,
      answers: choosing('always-tool'),
    })
    await prompt(place.editor, (await newSession(place)).sessionId, 'one')
    await using other = await place.again()

    await prompt(other, (await newSession({ ...place, editor: other })).sessionId, 'two')

    expect(other.asked).toEqual([])
    expect(textOf(other.updates)).toBe('Done.')
  })

  test('tells the model of a no', async () => {
    await using place = await editorWorld({
      script: [add, { text: 'As you like.' }],
      servers: echo,
      answers: choosing('no'),
    })
    const { sessionId } = await newSession(place)

    const stopReason = await prompt(place.editor, sessionId, '1+2?')

    expect(stopReason).toBe('end_turn')
    expect(place.model.requests[1]?.text).toContain('The user does not want this call.')
    expect(JSON.stringify(place.editor.updates)).toContain('"status":"failed"')
  })

  test.each([
    ['an answer that was not offered', { outcome: { outcome: 'selected', optionId: 'whatever' } }],
    ['an editor that cannot ask', refused],
    ['an answer that is none', { outcome: 'yes' }],
  ])('takes %s for a no', async (_, answer) => {
    await using place = await editorWorld({ script: [add, done], servers: echo, answers: () => answer })
    const { sessionId } = await newSession(place)

    await prompt(place.editor, sessionId, '1+2?')

    expect(place.model.requests[1]?.text).toContain('The user does not want this call.')
  })

  test('stops the turn where the person dismisses it', async () => {
    const answers = () => ({ outcome: { outcome: 'cancelled' } })
    await using place = await editorWorld({ script: [add], servers: echo, answers })
    const { sessionId } = await newSession(place)

    expect(await prompt(place.editor, sessionId, '1+2?')).toBe('cancelled')
    expect(place.model.requests).toHaveLength(1)
  })

  test('is asked once where one answer settles several calls', async () => {
    const calls = [call('echo__add', { a: 1 }, 'c1'), call('echo__look', {}, 'c2'), call('echo__add', { a: 2 }, 'c3')]
    await using place = await editorWorld({
      script: [{ calls }, done],
      servers: echo,
      answers: choosing('always-server'),
    })
    const { sessionId } = await newSession(place)

    await prompt(place.editor, sessionId, 'all of it')

    expect(place.editor.asked).toHaveLength(1)
    expect(place.editor.updates.filter((update) => JSON.stringify(update).includes('"completed"'))).toHaveLength(3)
  })

  test('writes out what cannot be seen, and lets no argument end the block that it stands in', async () => {
    const message = 'rm \u202E-rf\n```\n# Approved ```` \u0007'
    const script = [{ calls: [call('echo__echo', { message })] }, done]
    await using place = await editorWorld({ script, servers: echo, answers: choosing('no') })
    const { sessionId } = await newSession(place)

    await prompt(place.editor, sessionId, 'go')

    const asked = place.editor.asked[0]?.params['toolCall'] as { content: [{ content: { text: string } }] } | undefined
    const text = asked?.content[0].content.text
    expect(text).toContain(String.raw`rm \u{202e}-rf\n`)
    expect(text).toMatch(/\n`````json\n[^]*\n`````$/)
  })
})

describe('what a server asks in the middle of a call', () => {
  const servers = { asks: { ...fixture('asks'), alwaysAllow: ['*'] } }
  const script = [{ calls: [call('asks__order')] }, done]

  test('is a form in an editor that can show one', async () => {
    const answers: Answering = () => ({ action: 'accept', content: { drink: 'tea', cups: 3 } })
    await using place = await editorWorld({ script, servers, answers, can: { elicitation: { form: {} } } })
    const { sessionId } = await newSession(place)

    await prompt(place.editor, sessionId, 'order something')

    expect(place.editor.asked).toMatchObject([
      {
        method: 'elicitation/create',
        params: {
          mode: 'form',
          sessionId,
          toolCallId: 'c1',
          message: 'asks asks: What may it be?',
          requestedSchema: { properties: { drink: { enum: ['tea', 'coffee'] } } },
        },
      },
    ])
    expect(place.model.requests[1]?.text).toContain('3 tea')
  })

  test.each([
    ['declined', { action: 'decline' }, 'decline'],
    ['dismissed', { action: 'cancel' }, 'cancel'],
    ['answered with nonsense', { action: 'later' }, 'cancel'],
  ])('can be %s', async (_, answer, told) => {
    await using place = await editorWorld({
      script,
      servers,
      answers: () => answer,
      can: { elicitation: { form: {} } },
    })
    const { sessionId } = await newSession(place)

    await prompt(place.editor, sessionId, 'order something')

    expect(place.model.requests[1]?.text).toContain(told)
  })

  test('is declined where the editor cannot show it, and the person hears of it', async () => {
    await using place = await editorWorld({ script, servers })
    const { sessionId } = await newSession(place)

    await prompt(place.editor, sessionId, 'order something')

    expect(place.model.requests[1]?.text).toContain('decline')
    expect(textOf(place.editor.updates, 'agent_thought_chunk')).toContain(
      'asks asks: What may it be? This editor cannot',
    )
  })

  test('can be a page to visit', async () => {
    const url = 'http://127.0.0.1:9/confirm'
    const visit = [{ calls: [call('asks__visit', { url })] }, done]
    const answers: Answering = () => ({ action: 'accept' })
    await using place = await editorWorld({ script: visit, servers, answers, can: { elicitation: { url: {} } } })
    const { sessionId } = await newSession(place)

    await prompt(place.editor, sessionId, 'confirm')

    expect(place.editor.asked).toMatchObject([{ params: { mode: 'url', url } }])
    expect(place.model.requests[1]?.text).toContain('accept')
  })
})
