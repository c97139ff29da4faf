import { getEventListeners } from 'node:events'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startDeadline } from '../../../src/hub/wire/deadline.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

test('silence ends it at the idle limit', () => {
  using deadline = startDeadline({ idleMs: 1000, maxMs: 60_000 })

  vi.advanceTimersByTime(900)
  expect([deadline.signal.aborted, deadline.passed()]).toEqual([false, undefined])
  vi.advanceTimersByTime(200)

  expect([deadline.signal.aborted, deadline.passed()]).toEqual([true, 'idle'])
  expect(deadline.signal.reason).toMatchObject({ name: 'TimeoutError' })
})

test('each sign of life starts the idle time anew', () => {
  using deadline = startDeadline({ idleMs: 1000, maxMs: 60_000 })

  for (let sign = 0; sign < 20; sign++) {
    vi.advanceTimersByTime(900)
    deadline.touch()
  }
  expect(deadline.passed()).toBeUndefined()
  vi.advanceTimersByTime(1100)

  expect(deadline.passed()).toBe('idle')
})

test('the limit in all holds in spite of signs of life', () => {
  using deadline = startDeadline({ idleMs: 1000, maxMs: 3000 })

  for (let sign = 0; sign < 40; sign++) {
    vi.advanceTimersByTime(100)
    deadline.touch()
  }

  expect(deadline.passed()).toBe('max')
})

test('the idle time stands still while a person is asked, and starts anew with the answer', async () => {
  using deadline = startDeadline({ idleMs: 1000, maxMs: 60_000 })
  const { promise: answer, resolve } = Promise.withResolvers<string>()
  const asking = deadline.whileAsking(answer)

  await vi.advanceTimersByTimeAsync(30_000)
  expect(deadline.passed()).toBeUndefined()
  resolve('yes')
  await asking
  await vi.advanceTimersByTimeAsync(900)
  expect(deadline.passed()).toBeUndefined()
  await vi.advanceTimersByTimeAsync(1100)

  expect(deadline.passed()).toBe('idle')
})

test('the limit in all counts while a person is asked', async () => {
  using deadline = startDeadline({ idleMs: 1000, maxMs: 3000 })
  void deadline.whileAsking(new Promise(() => {}))

  await vi.advanceTimersByTimeAsync(4000)

  expect(deadline.passed()).toBe('max')
})

test('a caller who gives up ends it with the own reason, and no limit is over', () => {
  const stop = new AbortController()
  using deadline = startDeadline({ idleMs: 1000, maxMs: 3000, signal: stop.signal })

  stop.abort(new Error('enough'))

  expect(deadline.signal.reason).toEqual(new Error('enough'))
  expect(deadline.passed()).toBeUndefined()
})

test('one with a signal that is aborted already is over at once', () => {
  using deadline = startDeadline({ idleMs: 1000, maxMs: 3000, signal: AbortSignal.abort() })

  expect(deadline.signal.aborted).toBe(true)
})

test('afterwards nothing of it is left: no timer, and nothing on the caller’s signal', () => {
  const { signal } = new AbortController()
  const deadline = startDeadline({ idleMs: 1000, maxMs: 3000, signal })

  deadline[Symbol.dispose]()

  expect(vi.getTimerCount()).toBe(0)
  expect(getEventListeners(signal, 'abort')).toEqual([])
})
