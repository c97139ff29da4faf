import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { gateFor } from '../../../src/hub/servers/gate.ts'

test('without a limit everybody is let in', async () => {
  const gate = gateFor('one', undefined)

  const inside = await Promise.all(Array.from({ length: 500 }, () => gate.enter()))

  expect(inside).toHaveLength(500)
})

test('as many as the limit are inside at once, and the others follow in the order they came', async () => {
  const gate = gateFor('one', 2)
  const entered: number[] = []
  let inside = 0
  let most = 0

  await Promise.all(
    [1, 2, 3, 4, 5, 6].map(async (visitor) => {
      using _place = await gate.enter()
      entered.push(visitor)
      inside += 1
      most = Math.max(most, inside)
      await new Promise((resolve) => setImmediate(resolve))
      inside -= 1
    }),
  )

  expect(entered).toEqual([1, 2, 3, 4, 5, 6])
  expect(most).toBe(2)
})

test('a place is free again after its visitor failed', async () => {
  const gate = gateFor('one', 1)
  const visit = async () => {
    using _place = await gate.enter()
    throw new Error('failed inside')
  }
  await visit().catch(() => undefined)

  using _place = await gate.enter(AbortSignal.timeout(5000))
})

test('who comes when a hundred wait is refused at once, with the reason and what to do', async () => {
  const gate = gateFor('busy', 3)
  const inside = await Promise.all([gate.enter(), gate.enter(), gate.enter()])
  const waiting = Array.from({ length: 100 }, () => gate.enter())

  await expect(gate.enter()).rejects.toMatchObject({
    code: 'limit_exceeded',
    server: 'busy',
    message: 'Server "busy" has 3 calls running and 100 waiting, so this one was not sent.',
    next: expect.stringContaining('concurrency'),
  })

  inside.forEach((place) => place[Symbol.dispose]())
  const others: Disposable[] = []
  for (const turn of waiting) {
    const place = await turn
    others.push(place)
    place[Symbol.dispose]()
  }
  expect(others).toHaveLength(100)
})

test('who gives up while waiting leaves the line to the others, and nothing on the signal', async () => {
  const gate = gateFor('one', 1)
  const first = await gate.enter()
  const stop = new AbortController()
  const gone = gate.enter(stop.signal).catch((error: unknown) => error)
  const next = gate.enter()

  stop.abort()
  first[Symbol.dispose]()

  expect(await gone).toMatchObject({ code: 'cancelled' })
  using _place = await next
  expect(getEventListeners(stop.signal, 'abort')).toEqual([])
})

test('who has given up before coming does not wait', async () => {
  const gate = gateFor('one', 1)
  using _place = await gate.enter()

  await expect(gate.enter(AbortSignal.abort())).rejects.toMatchObject({ code: 'cancelled' })
})
