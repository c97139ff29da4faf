import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { repairHistory, visibleMessages } from '../../src/agent/repair-history.ts'
import type { ConversationEntry } from '../../src/agent/record.ts'
import type { SessionEvent } from '../../src/agent/session.ts'
import { fixture } from '../fixtures/fixture.ts'
import { openTestHub } from '../hub/makers.ts'
import { always, calling, line, sessionWorld } from './session-world.ts'

describe('a turn', () => {
  test('streams the answer and keeps it', async () => {
    await using world = await sessionWorld({ script: [{ text: 'Hello to you.' }] })

    const outcome = await world.session.send(line('hello'))

    expect(outcome).toEqual({ kind: 'answered', text: 'Hello to you.', refusals: [] })
    expect(textIn(world.events)).toBe('Hello to you.')
    expect(kindsOf(world.session.history())).toEqual(['start', 'user', 'reply'])
    expect(world.session.status()).toMatchObject({ title: 'hello', usedTokens: 15, isBusy: false })
  })

  test('knows how full the model is when a conversation is gone on with', async () => {
    await using world = await sessionWorld({ script: [{ text: 'Hello to you.' }] })
    await world.session.send(line('hello'))

    const conversation = await world.store.open(world.session.status().conversation)
    const session = await world.again({ conversation })

    expect(session.status().usedTokens).toBe(15)
  })

  test('tells the model of the servers, in their own words and marked so', async () => {
    await using world = await sessionWorld({ script: [{ text: 'ok' }] })

    await world.session.send(line('hi'))

    const { text } = await world.server.received(1)
    expect(text).toContain('- echo (')
    expect(text).toContain(
      'How the server \\"echo\\" wants to be used, in its own words\\n> Say something and hear it again.',
    )
    expect(text).toContain('echo__add')
    expect(text).toContain('list_prompts')
  })

  test('runs the calls that the model asks for, side by side, and gives it the results', async () => {
    await using world = await sessionWorld({
      answers: always('once'),
      script: [
        {
          text: 'Let me add.',
          calls: [calling('echo__add', { a: 1, b: 2 }, 'c1'), calling('echo__echo', { message: 'ho' }, 'c2')],
        },
        { text: 'Done.' },
      ],
    })

    const outcome = await world.session.send(line('add'))

    expect(outcome).toMatchObject({ kind: 'answered', text: 'Done.' })
    const { text } = await world.server.received(2)
    expect(text).toMatch(/"role":"tool","tool_call_id":"c1","content":"3"/)
    expect(text).toMatch(/"role":"tool","tool_call_id":"c2","content":"ho"/)
    expect(kindsOf(world.session.history())).toEqual(['start', 'user', 'reply', 'result', 'result', 'reply'])
  })

  test('shows each call from pending to done, with its progress', async () => {
    await using world = await sessionWorld({
      answers: always('once'),
      script: [{ calls: [calling('echo__slow', { ms: 20, steps: 2 })] }, { text: 'ok' }],
    })

    await world.session.send(line('go'))

    const states = callStates(world.events, 'c1')
    expect(states.map(({ kind }) => kind)).toEqual([
      'pending',
      'waiting',
      'processing',
      'processing',
      'processing',
      'ended',
    ])
    expect(states).toContainEqual(expect.objectContaining({ progress: { progress: 1, total: 2, message: 'step 1' } }))
    expect(states.at(-1)).toMatchObject({ end: 'done', parts: [{ kind: 'text', text: 'done' }] })
  })

  test('gives the model what went wrong, and goes on', async () => {
    await using world = await sessionWorld({
      servers: { echo: fixture('echo'), other: fixture('echo') },
      answers: always('once'),
      script: [
        {
          calls: [
            calling('echo__fail', {}, 'c1'),
            calling('echo__add', { a: 'x' }, 'c2'),
            calling('echo__ad', {}, 'c3'),
            { id: 'c4', name: 'echo__add', json: '{"a":' },
            calling('other__exit', {}, 'c5'),
          ],
        },
        { text: 'I see.' },
      ],
    })

    const outcome = await world.session.send(line('go'))

    expect(outcome).toMatchObject({ kind: 'answered', text: 'I see.' })
    expect(resultsOf(world.session.history())).toMatchObject({
      c1: { end: 'failed' },
      c2: { end: 'failed', text: expect.stringContaining('add') as string },
      c3: { end: 'failed', text: expect.stringMatching(/did not run: No tool "echo__ad"\. Closest/) as string },
      c4: { end: 'failed', text: expect.stringMatching(/did not run: the arguments are not JSON/) as string },
      c5: { end: 'interrupted', text: expect.stringContaining('unknown') as string },
    })
  })

  test('gives pictures to a model that takes them, and says so to one that does not', async () => {
    const script = [{ calls: [calling('echo__image')] }, { text: 'Nice.' }]
    await using seeing = await sessionWorld({ dialect: 'anthropic', answers: always('once'), script })
    await using blind = await sessionWorld({ dialect: 'chat', answers: always('once'), script })

    await Promise.all([seeing.session.send(line('look')), blind.session.send(line('look'))])

    expect((await seeing.server.received(2)).text).toContain('"media_type":"image/png"')
    expect((await blind.server.received(2)).text).toContain('[image/png, 1 KB, left out: you cannot take it]')
    expect(noticesIn(blind.events)).toContain('not_taken')
    expect(noticesIn(seeing.events)).not.toContain('not_taken')
  })

  test('shortens a huge result for the model and keeps it whole in the file', async () => {
    await using world = await sessionWorld({
      answers: always('once'),
      script: [{ calls: [calling('echo__big', { bytes: 200_000 })] }, { text: 'Big.' }],
    })

    await world.session.send(line('go'))

    const { text } = await world.server.received(2)
    expect(text).toMatch(/bytes left out; ask for less/)
    expect(text.length).toBeLessThan(100_000)
    expect(resultsOf(world.session.history())['c1']?.text.length).toBeGreaterThan(100_000)
  })

  test('keeps apart two calls to which the model gave the same id', async () => {
    await using world = await sessionWorld({
      answers: always('once'),
      script: [
        { calls: [calling('echo__echo', { message: 'one' }, 'call_0')] },
        { calls: [calling('echo__echo', { message: 'two' }, 'call_0')] },
        { text: 'ok' },
      ],
    })

    await world.session.send(line('go'))

    expect(resultsOf(world.session.history())).toMatchObject({ call_0: { text: 'one' }, 'call_0-2': { text: 'two' } })
    expect((await world.server.received(3)).text).toContain('call_0-2')
  })

  test('ends when the model writes nothing but nonsense', async () => {
    const wrong = { calls: [calling('no_such_tool')] }
    await using world = await sessionWorld({ script: [wrong, wrong, wrong, { text: 'never' }] })

    const outcome = await world.session.send(line('go'))

    expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'model_refused' } })
    expect(world.server.requests).toHaveLength(3)
  })

  test('ends after so many steps', async () => {
    const more = { calls: [calling('echo__add', { a: 1, b: 1 })] }
    await using world = await sessionWorld({
      answers: always('once'),
      script: [more, more, more],
      setup: { maxSteps: 2 },
    })

    const outcome = await world.session.send(line('go'))

    expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'limit_exceeded' } })
    expect(world.server.requests).toHaveLength(2)
    expectWhole(world.session.history())
  })

  test('without a model says so once, and what was said stays', async () => {
    await using world = await sessionWorld({ setup: { model: undefined } })

    const outcome = await world.session.send(line('hello'))

    expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'model_unknown' } })
    expect(noticesIn(world.events)).toEqual(['no_model'])
    expect(kindsOf(world.session.history())).toEqual(['start', 'user'])
  })

  test('goes on without the servers that are not there, and names them', async () => {
    const servers = { echo: fixture('echo'), dead: fixture('exits-at-start') }
    await using world = await sessionWorld({ servers, script: [{ text: 'ok' }, { text: 'ok' }] })

    await world.session.send(line('one'))
    await world.session.send(line('two'))

    expect(noticesIn(world.events)).toEqual(['servers_missing'])
    expect((await world.server.received(1)).text).toContain('- dead (not available at the moment)')
  })
})

describe('trouble with the provider', () => {
  test.each([429, 500, 529])('with status %d is waited out', async (status) => {
    await using world = await sessionWorld({ script: [{ status }, { status }, { text: 'at last' }] })

    const outcome = await world.session.send(line('hi'))

    expect(outcome).toMatchObject({ kind: 'answered', text: 'at last' })
    expect(world.pauses).toHaveLength(2)
    expect(world.pauses[1]).toBeGreaterThan(world.pauses[0] ?? 0)
    expect(noticesIn(world.events)).toEqual(['retrying', 'retrying'])
  })

  test('is waited out as long as the provider says, within reason', async () => {
    await using world = await sessionWorld({
      script: [{ status: 429, headers: { 'retry-after': '7' } }, { text: 'ok' }],
    })
    await using rude = await sessionWorld({ script: [{ status: 429, headers: { 'retry-after': '3600' } }] })

    expect(await world.session.send(line('hi'))).toMatchObject({ kind: 'answered' })
    expect(world.pauses).toEqual([7000])
    expect(await rude.session.send(line('hi'))).toMatchObject({ kind: 'failed', error: { code: 'model_unavailable' } })
  })

  test('that does not end is a failure, and what was said stays', async () => {
    const down = { status: 503 }
    await using world = await sessionWorld({ script: [down, down, down, down, down, { text: 'back' }] })

    expect(await world.session.send(line('one'))).toMatchObject({
      kind: 'failed',
      error: { code: 'model_unavailable' },
    })
    expect(await world.session.send(line('two'))).toMatchObject({ kind: 'answered' })

    const { text } = await world.server.received(6)
    expect(text).toContain('one')
    expect(text).toContain('two')
  })

  test('with the key is said at once', async () => {
    await using world = await sessionWorld({ script: [{ status: 401 }] })

    expect(await world.session.send(line('hi'))).toMatchObject({ kind: 'failed', error: { code: 'model_refused' } })
    expect(world.pauses).toEqual([])
  })

  test.each(['chat', 'anthropic', 'responses', 'google'] as const)(
    'a cut stream of %s is begun anew, and shown so',
    async (dialect) => {
      const text = 'A long text that will be cut.'
      await using world = await sessionWorld({
        dialect,
        script: [{ text, cutAt: 0.7 }, { text, endsAfter: 5 }, { text: 'Whole.' }],
      })

      const outcome = await world.session.send(line('hi'))

      expect(outcome).toMatchObject({ kind: 'answered', text: 'Whole.' })
      expect(world.events.filter(({ kind }) => kind === 'reply_restarts').length).toBeGreaterThan(0)
      expect(kindsOf(world.session.history())).toEqual(['start', 'user', 'reply'])
    },
  )

  test('a stream that is cut again and again leaves what has come, and never a call', async () => {
    const cut = { text: 'I will erase it.', calls: [calling('echo__erase')], cutAt: 0.97 }
    await using world = await sessionWorld({ answers: always('once'), script: [cut, cut, cut, cut, cut] })

    const outcome = await world.session.send(line('hi'))

    expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'model_unavailable' } })
    expect(world.session.history().at(-1)).toMatchObject({
      kind: 'reply',
      end: 'cut',
      parts: [{ kind: 'text', text: 'I will erase it.' }],
    })
    expect(world.events.filter(({ kind }) => kind === 'ask')).toEqual([])
    expect(noticesIn(world.events)).toContain('reply_cut')
  })

  test('a full context offers to compact', async () => {
    const body = {
      error: { message: "This model's maximum context length is 8192 tokens", code: 'context_length_exceeded' },
    }
    await using world = await sessionWorld({ script: [{ status: 400, body }] })

    const outcome = await world.session.send(line('hi'))

    expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'context_full' } })
    const notice = await world.seen('notice', (event) => event.notice.code === 'context_full')
    expect(notice.notice.next).toContain('/compact')
  })

  test('an empty reply is asked for once more', async () => {
    await using world = await sessionWorld({ script: [{}, { text: 'Oh.' }] })
    await using mute = await sessionWorld({ script: [{}, {}] })

    expect(await world.session.send(line('hi'))).toMatchObject({ kind: 'answered', text: 'Oh.' })
    expect(noticesIn(world.events)).toEqual(['reply_empty'])
    expect(await mute.session.send(line('hi'))).toMatchObject({ kind: 'failed' })
  })

  test('a reply that is too long is an answer, and said to be cut', async () => {
    await using world = await sessionWorld({ script: [{ text: 'And so on', end: 'length' }] })

    expect(await world.session.send(line('hi'))).toMatchObject({ kind: 'answered', text: 'And so on' })
    expect(noticesIn(world.events)).toEqual(['reply_too_long'])
  })

  test('a model that takes no tools is taught to write them as XML', async () => {
    const refusal = { status: 400, body: { error: { message: 'gemma does not support tools' } } }
    await using world = await sessionWorld({
      answers: always('once'),
      script: [refusal, { text: 'Sure. <echo__add><a>1</a><b>2</b></echo__add>' }, { text: 'Three.' }],
    })

    const outcome = await world.session.send(line('1+2?'))

    expect(outcome).toMatchObject({ kind: 'answered', text: 'Three.' })
    expect(noticesIn(world.events)).toEqual(['xml_tools'])
    expect((await world.server.received(3)).text).toContain(
      '<tool_result tool=\\"echo__add\\" status=\\"done\\">\\n3\\n</tool_result>',
    )
  })
})

describe('stopping', () => {
  test('in the middle of a reply keeps what was written', async () => {
    await using world = await sessionWorld({
      script: [{ text: 'A very long text', stallsAfter: 4 }, { text: 'Sorry.' }],
    })
    const turn = world.session.send(line('hi'))
    await world.seen('text')

    world.session.abort()

    expect(await turn).toEqual({ kind: 'stopped' })
    await world.server.hungUp
    expect(world.session.history().at(-1)).toMatchObject({ kind: 'reply', end: 'stopped' })
    expect(await world.session.send(line('go on'))).toMatchObject({ kind: 'answered', text: 'Sorry.' })
  })

  test('in the middle of a call cancels it at the server, and its outcome is unknown', async () => {
    await using world = await sessionWorld({
      answers: always('once'),
      script: [
        {
          calls: [calling('echo__slow', { ms: 60_000, steps: 600 }, 'c1'), calling('echo__add', { a: 1, b: 1 }, 'c2')],
        },
        { text: 'ok' },
      ],
    })
    const turn = world.session.send(line('hi'))
    await world.seen('call', ({ call }) => call.callId === 'c2' && call.state.kind === 'ended')
    await world.seen('call', ({ call }) => call.state.kind === 'processing' && call.state.progress !== undefined)

    world.session.abort()

    expect(await turn).toEqual({ kind: 'stopped' })
    expect(resultsOf(world.session.history())).toMatchObject({
      c1: { end: 'interrupted' },
      c2: { end: 'done', text: '2' },
    })
    expectWhole(world.session.history())
    expect(await world.session.send(line('and?'))).toMatchObject({ kind: 'answered' })
  })

  test('while a person is asked takes the question back', async () => {
    await using world = await sessionWorld({ script: [{ calls: [calling('echo__add', { a: 1, b: 1 })] }] })
    const turn = world.session.send(line('hi'))
    const { ask } = await world.seen('ask')

    world.session.abort()

    expect(await turn).toEqual({ kind: 'stopped' })
    await world.seen('ask_closed', ({ id }) => id === ask.id)
    expect(resultsOf(world.session.history())).toMatchObject({
      c1: { end: 'interrupted', text: 'Stopped by the user before it ran.' },
    })
  })

  test('during a pause between tries ends the wait', async () => {
    await using world = await sessionWorld({
      script: [{ status: 500 }],
      setup: {
        clock: {
          now: Date.now,
          sleep: (_, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
        },
      },
    })
    const turn = world.session.send(line('hi'))
    await world.seen('notice')

    world.session.abort()

    expect(await turn).toEqual({ kind: 'stopped' })
  })
})

describe('the tools for the model', () => {
  const manyTools = { setup: { inlinePercent: 0 } } as const

  test('are searched for where they would take too much of the context', async () => {
    await using world = await sessionWorld({
      ...manyTools,
      answers: always('once'),
      script: [
        {
          calls: [
            calling('search_tools', { query: 'add numbers' }, 'c1'),
            calling('inspect_tool', { tool: 'echo.add' }, 'c2'),
          ],
        },
        { calls: [calling('call_tool', { tool: 'echo.add', arguments: { a: 2, b: 3 } }, 'c3')] },
        { text: 'Five.' },
      ],
    })

    expect(await world.session.send(line('2+3'))).toMatchObject({ kind: 'answered', text: 'Five.' })

    const first = await world.server.received(1)
    const declared = (first.body['tools'] as readonly { function: { name: string } }[]).map(
      (tool) => tool.function.name,
    )
    expect(declared).toEqual(['search_tools', 'inspect_tool', 'call_tool', 'exec', 'list_prompts', 'get_prompt'])
    expect(noticesIn(world.events)).toContain('many_tools')
    const results = resultsOf(world.session.history())
    expect(results['c1']?.text).toContain('echo.add(')
    expect(results['c2']?.text).toContain('"inputSchema"')
    expect(results['c3']).toEqual({ end: 'done', text: '5' })
    const { ask } = await world.seen('ask')
    expect(ask).toMatchObject({ label: 'echo.add', input: { a: 2, b: 3 } })
  })

  test('can be used by code, which the person sees first', async () => {
    await using world = await sessionWorld({
      ...manyTools,
      answers: (ask) =>
        ask.kind === 'permission' ? { kind: 'permission', choice: 'no', reason: 'too clever' } : undefined,
      script: [{ calls: [calling('exec', { code: 'return 1' })] }, { text: 'Well.' }],
    })

    await world.session.send(line('go'))

    const { ask } = await world.seen('ask')
    expect(ask).toMatchObject({ label: 'exec', input: { code: 'return 1' }, choices: ['once', 'no'] })
    expect(resultsOf(world.session.history())['c1']).toEqual({
      end: 'refused',
      text: 'The user does not want this call. They say: too clever',
    })
  })

  test('include the prompts of the servers', async () => {
    await using world = await sessionWorld({
      script: [
        {
          calls: [
            calling('list_prompts', {}, 'c1'),
            calling('get_prompt', { prompt: 'echo:greet', arguments: { who: 'bob' } }, 'c2'),
          ],
        },
        { text: 'Hi.' },
      ],
    })

    await world.session.send(line('greet'))

    const results = resultsOf(world.session.history())
    expect(results['c1']?.text).toContain('echo:greet(who, city?) // Writes a greeting.')
    expect(results['c2']).toMatchObject({ end: 'done', text: expect.stringContaining('bob') as string })
  })
})

describe('compacting', () => {
  test('puts a summary in the place of all before, for the model only', async () => {
    await using world = await sessionWorld({
      script: [{ text: 'One.' }, { text: 'They spoke of one.' }, { text: 'Two.' }],
    })
    await world.session.send(line('first'))

    expect(await world.session.compact()).toMatchObject({ kind: 'answered', text: 'They spoke of one.' })
    await world.session.send(line('second'))

    const { text } = await world.server.received(3)
    expect(text).toContain('They spoke of one.')
    expect(text).not.toContain('first')
    expect(kindsOf(world.session.history())).toEqual(['start', 'user', 'reply', 'summary', 'user', 'reply'])
    expect(textIn(world.events)).toBe('One.Two.')
  })

  test('that fails leaves everything as it was', async () => {
    await using world = await sessionWorld({ script: [{ text: 'One.' }, { status: 401 }] })
    await world.session.send(line('first'))

    expect(await world.session.compact()).toMatchObject({ kind: 'failed' })
    expect(kindsOf(world.session.history())).toEqual(['start', 'user', 'reply'])
  })
})

describe.each(['chat', 'anthropic', 'responses'] as const)('a whole conversation over %s', (dialect) => {
  test('goes from a prompt over a call to an answer, and is resumed', async () => {
    await using world = await sessionWorld({
      dialect,
      answers: always('always-tool'),
      script: [
        { text: 'I look.', calls: [calling('echo__echo', { message: 'note' })] },
        { text: 'It says note.' },
        { text: 'Still note.' },
      ],
    })
    const prepared = [
      { role: 'user', parts: [{ kind: 'text', text: 'What stands in the note?' }], prompt: 'echo:talk' },
      { role: 'assistant', text: 'I will look.', prompt: 'echo:talk' },
      { role: 'user', parts: [{ kind: 'resource', uri: 'note://one', text: '# One' }], prompt: 'echo:talk' },
    ] as const

    const first = await world.session.send({ kind: 'messages', text: '/echo:talk', messages: prepared })
    const resumed = await world.again({ conversation: await world.store.open(world.session.status().conversation) })
    const second = await resumed.send(line('again?'))

    expect(first).toMatchObject({ kind: 'answered', text: 'It says note.' })
    expect(second).toMatchObject({ kind: 'answered', text: 'Still note.' })
    expect(kindsOf(resumed.history())).toEqual([
      'start',
      'user',
      'reply',
      'user',
      'reply',
      'result',
      'reply',
      'user',
      'reply',
    ])
    const { text } = await world.server.received(3)
    for (const words of ['What stands in the note?', 'I will look.', '# One', 'I look.', 'It says note.', 'again?'])
      expect(text).toContain(words)
  })

  test('is resumed after a crash in the middle of a call', async () => {
    await using world = await sessionWorld({
      dialect,
      answers: always('once'),
      script: [{ calls: [calling('echo__slow', { ms: 60_000 })] }, { text: 'I do not know.' }],
    })
    void world.session.send(line('go'))
    await world.seen('call', ({ call }) => call.state.kind === 'processing')

    const conversation = await world.store.open(world.session.status().conversation)
    const resumed = await world.again({ conversation })
    const outcome = await resumed.send(line('what happened?'))

    expect(outcome).toMatchObject({ kind: 'answered', text: 'I do not know.' })
    expect((await world.server.received(2)).text).toContain('whether this call took effect is unknown')
    expectWhole(resumed.history())
  })
})

test('a conversation is resumed where the servers are others by now', async () => {
  await using world = await sessionWorld({
    answers: always('once'),
    script: [
      { calls: [calling('echo__add', { a: 1, b: 1 })] },
      { text: 'Two.' },
      { calls: [calling('echo__add', {}, 'c2')] },
      { text: 'It is gone.' },
    ],
  })
  await world.session.send(line('add'))
  await using empty = await openTestHub({})

  const conversation = await world.store.open(world.session.status().conversation)
  const resumed = await world.again({ hub: empty, conversation })
  const outcome = await resumed.send(line('again'))

  expect(outcome).toMatchObject({ kind: 'answered', text: 'It is gone.' })
  expect(resultsOf(resumed.history())).toMatchObject({ c1: { end: 'done', text: '2' }, c2: { end: 'failed' } })
})

test('a conversation is on the disk while it happens', async () => {
  await using world = await sessionWorld({ script: [{ text: 'A very long text', stallsAfter: 4 }] })
  const turn = world.session.send(line('precious words'))
  await world.seen('text')

  const { conversation } = world.session.status()
  const file = await readFile(join(world.hub.home, 'conversations', `${conversation}.jsonl`), 'utf8')

  expect(file).toContain('precious words')
  world.session.abort()
  await turn
})

function kindsOf(entries: readonly ConversationEntry[]): readonly string[] {
  return entries.map(({ kind }) => kind)
}

function textIn(events: readonly SessionEvent[]): string {
  return events.map((event) => (event.kind === 'text' ? event.text : '')).join('')
}

function noticesIn(events: readonly SessionEvent[]): readonly string[] {
  return events.flatMap((event) => (event.kind === 'notice' ? [event.notice.code] : []))
}

function callStates(events: readonly SessionEvent[], callId: string) {
  return events.flatMap((event) => (event.kind === 'call' && event.call.callId === callId ? [event.call.state] : []))
}

function resultsOf(entries: readonly ConversationEntry[]): Readonly<Record<string, { end: string; text: string }>> {
  const results = entries.flatMap((entry) => (entry.kind === 'result' ? [entry] : []))
  return Object.fromEntries(
    results.map(({ callId, end, parts }) => [
      callId,
      { end, text: parts.map((part) => (part.kind === 'media' ? part.mimeType : part.text)).join('\n') },
    ]),
  )
}

/** Nothing in it needs mending. */
function expectWhole(entries: readonly ConversationEntry[]): void {
  const messages = visibleMessages(entries)
  expect(repairHistory(messages)).toHaveLength(messages.length)
}
