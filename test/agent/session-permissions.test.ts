import { describe, expect, test } from 'vitest'
import type { SessionEvent } from '../../src/agent/session.ts'
import { createSandbox } from '../../src/sandbox/sandbox.ts'
import { fixture } from '../fixtures/fixture.ts'
import { always, calling, line, sessionWorld, type WorldOptions } from './session-world.ts'

const add = (id = 'c1') => calling('echo__add', { a: 1, b: 1 }, id)
const turnWith = (...calls: readonly ReturnType<typeof calling>[]) => [{ calls }, { text: 'ok' }]
const nobody = { setup: { mayAsk: false } } as const

describe('leave to run a tool', () => {
  test.each([
    ['once', 2],
    ['session', 1],
    ['always-tool', 1],
    ['always-server', 1],
  ] as const)('given "%s" is asked for %d times in two turns', async (choice, times) => {
    await using world = await sessionWorld({
      answers: always(choice),
      script: [...turnWith(add()), ...turnWith(add())],
    })

    await world.session.send(line('one'))
    await world.session.send(line('two'))

    expect(asksIn(world.events)).toHaveLength(times)
  })

  test.each([
    ['session', 2],
    ['always-tool', 1],
    ['always-server', 1],
  ] as const)('given "%s" is asked for %d times over two sessions', async (choice, times) => {
    await using world = await sessionWorld({
      answers: always(choice),
      script: [...turnWith(add()), ...turnWith(add())],
    })
    await world.session.send(line('one'))

    const next = await world.again({}, always(choice))
    await next.send(line('two'))

    expect(asksIn(world.events)).toHaveLength(times)
  })

  test('given for a server holds for its other tools, given for a tool does not', async () => {
    const script = [...turnWith(add()), ...turnWith(calling('echo__echo', { message: 'x' }))]
    await using server = await sessionWorld({ answers: always('always-server'), script })
    await using tool = await sessionWorld({ answers: always('always-tool'), script })

    for (const { session } of [server, tool]) {
      await session.send(line('one'))
      await session.send(line('two'))
    }

    expect(asksIn(server.events)).toHaveLength(1)
    expect(asksIn(tool.events)).toHaveLength(2)
  })

  test('given for the session settles the other questions that wait for the same', async () => {
    await using world = await sessionWorld({ script: turnWith(add('c1'), add('c2'), add('c3')) })
    const turn = world.session.send(line('go'))
    const { ask } = await world.seen('ask', (event) => event.ask.kind === 'permission' && event.ask.callId === 'c3')

    world.session.answer(ask.id, { kind: 'permission', choice: 'session' })

    expect(await turn).toMatchObject({ kind: 'answered' })
    expect(asksIn(world.events)).toHaveLength(3)
    expect(world.events.filter(({ kind }) => kind === 'ask_closed')).toHaveLength(3)
  })

  test('the time that a person takes to allow a call is not counted as its own', async () => {
    let laterMs = 0
    await using world = await sessionWorld({
      script: [{ calls: [calling('echo__add', { a: 1, b: 2 })] }, { text: 'ok' }],
      setup: { clock: { now: () => Date.now() + laterMs, sleep: () => Promise.resolve() } },
      answers: (ask) => {
        laterMs = 3_600_000
        return always('once')(ask)
      },
    })

    await world.session.send(line('add'))

    const result = world.session.history().find((entry) => entry.kind === 'result')
    expect(result).toMatchObject({ end: 'done' })
    expect(result?.ms).toBeLessThan(laterMs)
  })

  test('that is refused ends nothing, and the model hears the reason', async () => {
    await using world = await sessionWorld({
      answers: (ask) =>
        ask.kind === 'permission' ? { kind: 'permission', choice: 'no', reason: 'Not on Sundays.' } : undefined,
      script: turnWith(add()),
    })

    const outcome = await world.session.send(line('go'))

    expect(outcome).toEqual({ kind: 'answered', text: 'ok', refusals: ['echo.add'] })
    expect((await world.server.received(2)).text).toContain('Not on Sundays.')
  })

  test('is asked for in words that say what the tool may do', async () => {
    await using world = await sessionWorld({ answers: always('once'), script: turnWith(calling('echo__erase')) })

    await world.session.send(line('go'))

    const { ask } = await world.seen('ask')
    expect(ask).toMatchObject({ label: 'echo.erase', hints: ['may delete or overwrite'], isChanged: false })
  })

  test('can be listed and taken back', async () => {
    await using world = await sessionWorld({
      answers: always('always-tool'),
      script: [...turnWith(add()), ...turnWith(add())],
    })
    await world.session.send(line('one'))
    const [permission] = world.session.permissions()
    expect(permission).toMatchObject({ scope: 'project', server: 'echo', tool: 'add' })

    await world.session.revoke(permission?.id ?? '')
    await world.session.send(line('two'))

    expect(asksIn(world.events)).toHaveLength(2)
  })
})

describe('what the config says', () => {
  const withEntry = (entry: object, rest: WorldOptions = {}): WorldOptions => ({
    servers: { echo: { ...fixture('echo'), ...entry } },
    ...rest,
  })

  test('allows tools without asking', async () => {
    await using world = await sessionWorld(withEntry({ alwaysAllow: ['a*'] }, { script: turnWith(add()), ...nobody }))

    expect(await world.session.send(line('go'))).toMatchObject({ kind: 'answered', refusals: [] })
  })

  test('denies tools: the model does not even see them, and cannot call them', async () => {
    await using world = await sessionWorld(
      withEntry({ alwaysAllow: ['*'], deny: ['add'] }, { script: turnWith(add()), answers: always('once') }),
    )

    await world.session.send(line('go'))

    expect((await world.server.received(1)).text).not.toContain('echo__add')
    expect((await world.server.received(2)).text).toContain('No tool')
    expect(asksIn(world.events)).toEqual([])
  })

  test('lets read-only tools run where their hints are believed', async () => {
    const script = turnWith(calling('echo__look'))
    await using believed = await sessionWorld(withEntry({ trustHints: true }, { script, ...nobody }))
    await using doubted = await sessionWorld(withEntry({}, { script, ...nobody }))

    expect(await believed.session.send(line('go'))).toMatchObject({ refusals: [] })
    expect(await doubted.session.send(line('go'))).toMatchObject({ refusals: ['echo.look'] })
  })
})

describe('where nobody is', () => {
  test('what is not allowed is refused, and the model goes on', async () => {
    await using world = await sessionWorld({ ...nobody, script: turnWith(add()) })

    expect(await world.session.send(line('go'))).toEqual({ kind: 'answered', text: 'ok', refusals: ['echo.add'] })
    expect(asksIn(world.events)).toEqual([])
  })

  test('--allow lets just those tools run and be seen', async () => {
    await using world = await sessionWorld({ ...nobody, only: ['echo.add'], script: turnWith(add()) })

    expect(await world.session.send(line('go'))).toMatchObject({ refusals: [] })
    expect((await world.server.received(1)).text).not.toContain('echo__echo')
  })

  test('code can call what is allowed, and nothing else', async () => {
    const sandbox = async () => createSandbox({ spareMs: 0 })
    const code = 'const sum = await tools.echo.add({ a: 1, b: 2 }); return { sum, other: typeof tools.echo.echo }'
    await using world = await sessionWorld({
      hub: { sandbox },
      only: ['echo.add'],
      setup: { mayAsk: false, inlinePercent: 0 },
      script: turnWith(calling('exec', { code })),
    })

    await world.session.send(line('go'))

    const result = world.session.history().find((entry) => entry.kind === 'result')
    expect(result).toMatchObject({ end: 'done', parts: [{ text: expect.stringContaining('"sum":3') as string }] })
    expect(JSON.stringify(result)).not.toContain('"other":"function"')
  })

  test('a server that asks for a form is told that nobody answers', async () => {
    await using world = await sessionWorld({
      ...nobody,
      servers: { one: { ...fixture('asks'), alwaysAllow: ['*'] } },
      script: turnWith(calling('one__order')),
    })

    await world.session.send(line('go'))

    expect(world.session.history().find((entry) => entry.kind === 'result')).toMatchObject({
      parts: [{ text: 'decline' }],
    })
  })
})

describe('a form of a server', () => {
  test('is shown in the same place, and its values reach the server', async () => {
    await using world = await sessionWorld({
      servers: { one: { ...fixture('asks'), alwaysAllow: ['*'] } },
      answers: (ask) =>
        ask.kind === 'server'
          ? { kind: 'server', answer: { action: 'accept', content: { drink: 'tea', cups: 3 } } }
          : undefined,
      script: turnWith(calling('one__order')),
    })

    await world.session.send(line('go'))

    const { ask } = await world.seen('ask')
    expect(ask).toMatchObject({ kind: 'server', callId: 'c1', ask: { kind: 'form', message: 'What may it be?' } })
    expect((await world.server.received(2)).text).toContain('3 tea')
  })

  test('is taken back when the turn is stopped', async () => {
    await using world = await sessionWorld({
      servers: { one: { ...fixture('asks'), alwaysAllow: ['*'] } },
      script: turnWith(calling('one__order')),
    })
    const turn = world.session.send(line('go'))
    await world.seen('ask')

    world.session.abort()

    expect(await turn).toEqual({ kind: 'stopped' })
    await world.seen('ask_closed')
  })

  test('takes no answer that was meant for another kind of question', async () => {
    await using world = await sessionWorld({ script: turnWith(add()) })
    const turn = world.session.send(line('go'))
    const { ask } = await world.seen('ask')

    world.session.answer(ask.id, { kind: 'server', answer: { action: 'accept' } })
    world.session.answer('ask-99', { kind: 'permission', choice: 'once' })
    expect(world.events.filter(({ kind }) => kind === 'ask_closed')).toEqual([])

    world.session.answer(ask.id, { kind: 'permission', choice: 'once' })
    expect(await turn).toMatchObject({ kind: 'answered' })
  })
})

function asksIn(events: readonly SessionEvent[]): readonly SessionEvent[] {
  return events.filter(({ kind }) => kind === 'ask')
}
