import { describe, expect, test } from 'vitest'
import type { PrepareLine } from '../../src/agent/session.ts'
import { CapstanError } from '../../src/errors.ts'
import { always, calling, line, sessionWorld } from './session-world.ts'

const busy = { text: 'Working on it', stallsAfter: 4 }

describe('what is sent while a turn is under way', () => {
  test('waits, and is answered in order, each on its own', async () => {
    await using world = await sessionWorld({ script: [{ text: 'one' }, { text: 'two' }, { text: 'three' }] })

    const outcomes = await Promise.all(['a', 'b', 'c'].map((text) => world.session.send(line(text))))

    expect(outcomes).toMatchObject([{ text: 'one' }, { text: 'two' }, { text: 'three' }])
    const said = world.session.history().flatMap((entry) => (entry.kind === 'user' ? entry.parts : []))
    expect(said).toMatchObject([{ text: 'a' }, { text: 'b' }, { text: 'c' }])
  })

  test('is shown', async () => {
    await using world = await sessionWorld({ script: [{ text: 'one' }, { text: 'two' }] })

    await Promise.all([world.session.send(line('a')), world.session.send(line('b'))])

    const queues = world.events.flatMap((event) =>
      event.kind === 'queue' ? [event.entries.map(({ text }) => text)] : [],
    )
    expect(queues).toEqual([['b'], []])
  })

  test('can be taken back and changed', async () => {
    await using world = await sessionWorld({ script: [busy, { text: 'two' }] })
    const turn = world.session.send(line('a'))
    await world.seen('text')
    const dropped = world.session.send(line('b'))
    const changed = world.session.send(line('c'))
    const [first, second] = world.session.queue.entries()

    expect(world.session.queue.take(first?.id ?? '')).toMatchObject({ text: 'b' })
    expect(world.session.queue.replace(second?.id ?? '', line('d'))).toBe(true)
    world.session.abort()
    await turn
    world.session.queue.resume()

    expect(await dropped).toEqual({ kind: 'dropped' })
    expect(await changed).toMatchObject({ kind: 'answered' })
    expect((await world.server.received(2)).text).toContain('"d"')
    expect(world.session.queue.take('nothing')).toBeUndefined()
    expect(world.session.queue.replace('nothing', line('x'))).toBe(false)
  })

  test('survives a stop, and is held until the person goes on', async () => {
    await using world = await sessionWorld({ script: [busy, { text: 'two' }, { text: 'three' }] })
    const first = world.session.send(line('a'))
    await world.seen('text')
    const second = world.session.send(line('b'))

    world.session.abort()
    expect(await first).toEqual({ kind: 'stopped' })
    await world.seen('queue', ({ isHeld }) => isHeld)
    expect(world.session.queue.entries().map(({ text }) => text)).toEqual(['b'])

    const third = world.session.send(line('c'))
    expect(await second).toMatchObject({ text: 'two' })
    expect(await third).toMatchObject({ text: 'three' })
  })

  test('survives a failure', async () => {
    await using world = await sessionWorld({ script: [{ status: 401 }, { text: 'two' }] })
    const first = world.session.send(line('a'))
    const second = world.session.send(line('b'))

    expect(await first).toMatchObject({ kind: 'failed' })
    expect(world.session.queue.entries().map(({ text }) => text)).toEqual(['b'])
    world.session.queue.resume()

    expect(await second).toMatchObject({ text: 'two' })
  })

  test('waits for a person who is asked', async () => {
    await using world = await sessionWorld({
      answers: always('once'),
      script: [{ calls: [calling('echo__add', { a: 1, b: 1 })] }, { text: 'one' }, { text: 'two' }],
    })

    const outcomes = await Promise.all([world.session.send(line('a')), world.session.send(line('b'))])

    expect(outcomes).toMatchObject([{ text: 'one' }, { text: 'two' }])
  })
})

describe('a line', () => {
  const prepare: PrepareLine = async (text) => {
    if (text === '/help') return { kind: 'handled' }
    if (text === '/bad') throw new CapstanError('prompt_unknown', 'No prompt "bad".')
    if (text === '/bug') throw new TypeError('a bug')
    return {
      kind: 'messages',
      messages: [{ role: 'user', parts: [{ kind: 'text', text: `<${text}>` }], prompt: 'a:b' }],
    }
  }

  test('goes the way of commands when its turn has come, and is never joined with others', async () => {
    await using world = await sessionWorld({ script: [{ text: 'one' }, { text: 'two' }], setup: { prepare } })

    const outcomes = await Promise.all(['a', '/help', 'b'].map((text) => world.session.send(line(text))))

    expect(outcomes.map(({ kind }) => kind)).toEqual(['answered', 'handled', 'answered'])
    expect(world.server.requests).toHaveLength(2)
    expect(world.server.requests[1]?.text).toContain('<b>')
    expect(world.server.requests[1]?.text).not.toContain('/help')
  })

  test('whose command fails is a failure, not an end', async () => {
    await using world = await sessionWorld({ script: [{ text: 'one' }], setup: { prepare } })

    expect(await world.session.send(line('/bad'))).toMatchObject({ kind: 'failed', error: { code: 'prompt_unknown' } })
    expect(await world.session.send(line('a'))).toMatchObject({ kind: 'answered' })
  })

  test('whose command has a bug tells whoever sent it, and the session goes on', async () => {
    await using world = await sessionWorld({ script: [{ text: 'one' }], setup: { prepare } })

    await expect(world.session.send(line('/bug'))).rejects.toThrow('a bug')
    expect(await world.session.send(line('a'))).toMatchObject({ kind: 'answered' })
  })
})

test('closing a session stops its turn and drops what waits', async () => {
  await using world = await sessionWorld({ script: [busy] })
  const first = world.session.send(line('a'))
  await world.seen('text')
  const second = world.session.send(line('b'))

  await world.session[Symbol.asyncDispose]()

  expect(await first).toEqual({ kind: 'stopped' })
  expect(await second).toEqual({ kind: 'dropped' })
  expect(await world.session.send(line('c'))).toEqual({ kind: 'dropped' })
})

test('a session cannot be compacted in the middle of a turn', async () => {
  await using world = await sessionWorld({ script: [busy] })
  const turn = world.session.send(line('a'))
  await world.seen('text')

  expect(await world.session.compact()).toEqual({ kind: 'dropped' })
  world.session.abort()
  await turn
})
