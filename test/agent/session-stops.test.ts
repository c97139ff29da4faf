import { describe, expect, test } from 'vitest'
import { repairHistory, visibleMessages } from '../../src/agent/repair-history.ts'
import { always, line, sessionWorld } from './session-world.ts'
import { calls, says, scriptedModel } from './scripted-model.ts'

describe('a turn that is stopped at any moment', () => {
  test('leaves a conversation that is whole, on the disk as in memory, and can be gone on with', async () => {
    await using world = await sessionWorld()
    let isOver = false

    for (let stopAt = 1; !isOver; stopAt += 1) {
      const model = scriptedModel(
        [
          { kind: 'thinking', text: 'hm' },
          { kind: 'part_end' },
          ...says('I look. ').slice(0, -1),
          ...calls(['c1', 'echo__slow', { ms: 5, steps: 2 }], ['c2', 'echo__add', { a: 1, b: 1 }]),
        ],
        calls(['c1', 'echo__echo', { message: 'hi' }], ['c3', 'no_such_tool', {}]),
        says('All is well.'),
      )
      const session = await world.again({ model }, always('once'))
      let count = 0
      const stopper = session.on(() => {
        count += 1
        if (count === stopAt) session.abort()
      })

      const outcome = await session.send(line('go'))
      stopper[Symbol.dispose]()
      isOver = count < stopAt
      const messages = visibleMessages(session.history())
      const stored = await world.store.open(session.status().conversation).catch(() => undefined)
      const next = await session.send(line('and now?'))

      expect(outcome.kind).toMatch(/^(?:stopped|answered)$/)
      expect(repairHistory(messages)).toHaveLength(messages.length)
      if (messages.length > 0) expect(stored?.entries().slice(1)).toEqual(messages)
      expect(next.kind).toBe('answered')
      expect(repairHistory(model.requests.at(-1)?.messages ?? [])).toEqual(model.requests.at(-1)?.messages)
      expect(stopAt).toBeLessThan(100)
    }
  }, 60_000)
})

test('a conversation that fills most of the context is said to do so, once', async () => {
  await using world = await sessionWorld()
  const session = await world.again({ model: { ...scriptedModel(says('a'), says('b')), contextTokens: 120 } })

  await session.send(line('one'))
  await session.send(line('two'))

  const notices = world.events.flatMap((event) => (event.kind === 'notice' ? [event.notice.code] : []))
  expect(notices.filter((code) => code === 'context_filling')).toHaveLength(1)
})
