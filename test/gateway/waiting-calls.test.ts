import { describe, expect, test, vi } from 'vitest'
import type { Answer, Ask } from '../../src/hub/api.ts'
import type { Exchange } from '../../src/gateway/exchange.ts'
import { makeSeal } from '../../src/gateway/seal.ts'
import { waitingCalls, waitingLimits, type Asker, type Turn, type Work } from '../../src/gateway/waiting-calls.ts'

const form: Ask = { kind: 'form', server: 'one', message: 'What?', schema: {} }
const yes: Answer = { action: 'accept', content: {} }

function exchange(signal: AbortSignal = new AbortController().signal): Exchange {
  return {
    client: 'test',
    signal,
    askable: { form: true, url: true, sampling: true, samplingWithTools: true, roots: true },
    meta: {},
    log: () => {},
  }
}

function asker(more: Partial<Asker> = {}): Asker {
  return { caller: 'anna', request: 'r', exchange: exchange(), ...more }
}

/** Asks twice, then says what it heard. */
const asksTwice: Work<string> = async ({ onAsk, signal }) => {
  const first = await onAsk(form, { signal })
  const second = await onAsk(form, { signal })
  return `${first.action} ${second.action}`
}

function stateOf(turn: Turn<string> | undefined): string {
  if (turn?.kind !== 'asks') throw new Error('it does not ask')
  return turn.state
}

function open(limits = waitingLimits) {
  return waitingCalls<string>(makeSeal(Date.now), Date.now, limits)
}

describe('a call that asks', () => {
  test('goes on with each answer until it is done', async () => {
    using calls = open()

    const first = await calls.begin(asker(), asksTwice)
    const second = await calls.resume(asker(), stateOf(first), () => yes)
    const last = await calls.resume(asker(), stateOf(second), () => ({ action: 'decline' }))

    expect(last).toEqual({ kind: 'done', value: 'accept decline' })
    expect(calls.count()).toBe(0)
  })

  test('puts questions of the same moment together, and asks again for what was left out', async () => {
    using calls = open()
    const both: Work<string> = async ({ onAsk, signal }) => {
      const answers = await Promise.all([onAsk(form, { signal }), onAsk(form, { signal })])
      return answers.map(({ action }) => action).join(' ')
    }

    const first = await calls.begin(asker(), both)
    const keys = first.kind === 'asks' ? [...first.asks.keys()] : []
    const second = await calls.resume(asker(), stateOf(first), (key) => (key === keys[0] ? yes : undefined))
    const last = await calls.resume(asker(), stateOf(second), () => yes)

    expect(keys).toHaveLength(2)
    expect(second).toMatchObject({ kind: 'asks', asks: new Map([[keys[1], form]]) })
    expect(last).toEqual({ kind: 'done', value: 'accept accept' })
  })

  test.each<readonly [string, (state: string) => readonly [Asker, string]]>([
    ['somebody else', (state) => [asker({ caller: 'eve' }), state]],
    ['another request', (state) => [asker({ request: 'another' }), state]],
    [
      'a state with a changed letter',
      (state) => [asker(), `${state.slice(0, -2)}${state.endsWith('A') ? 'BB' : 'AA'}`],
    ],
    ['a state of another process', () => [asker(), stateOfAnother()]],
    ['words', () => [asker(), 'let me in']],
  ])('does not go on for %s', async (_who, change) => {
    using calls = open()
    const state = stateOf(await calls.begin(asker(), asksTwice))

    const turn = await calls.resume(...change(state), () => yes)

    expect(turn).toBeUndefined()
    expect(calls.count()).toBe(1)
  })

  test('goes on once for each state: a copy of an old one counts for nothing', async () => {
    using calls = open()
    const state = stateOf(await calls.begin(asker(), asksTwice))
    await calls.resume(asker(), state, () => yes)

    expect(await calls.resume(asker(), state, () => yes)).toBeUndefined()
  })

  test('ends with the request that waits for it, but not with one that has been answered', async () => {
    using calls = open()
    const [first, second] = [new AbortController(), new AbortController()]
    const signals: AbortSignal[] = []
    const work: Work<string> = async (options) => {
      signals.push(options.signal)
      await options.onAsk(form, options)
      options.signal.throwIfAborted()
      return 'not stopped'
    }

    const state = stateOf(await calls.begin(asker({ exchange: exchange(first.signal) }), work))
    first.abort()
    expect(signals[0]?.aborted).toBe(false)
    const going = calls.resume(asker({ exchange: exchange(second.signal) }), state, () => yes)
    second.abort(new Error('stopped'))

    await expect(going).rejects.toThrow('stopped')
  })

  test('is given up when nobody comes back in time', async () => {
    using calls = open({ ...waitingLimits, maxMs: 20 })
    const ended = vi.fn<() => void>()
    const work: Work<string> = async ({ onAsk, signal }) => {
      signal.addEventListener('abort', ended)
      await onAsk(form, { signal })
      return ''
    }

    const state = stateOf(await calls.begin(asker(), work))
    await vi.waitFor(() => expect(ended).toHaveBeenCalled())

    expect(await calls.resume(asker(), state, () => yes)).toBeUndefined()
  })

  test('is given up when its caller may not come any more, while those of others wait on', async () => {
    using calls = open()
    const ended = vi.fn<() => void>()
    const work: Work<string> = ({ onAsk, signal }) => {
      signal.addEventListener('abort', ended)
      return onAsk(form, { signal }).then(({ action }) => action)
    }
    const theirs = await calls.begin(asker({ caller: 'ben' }), work)
    const state = stateOf(await calls.begin(asker(), work))

    calls.end('ben')

    expect(ended).toHaveBeenCalledTimes(1)
    expect(await calls.resume(asker({ caller: 'ben' }), stateOf(theirs), () => yes)).toBeUndefined()
    expect(await calls.resume(asker(), state, () => yes)).toEqual({ kind: 'done', value: 'accept' })
  })

  test('has its questions declined where too many wait already', async () => {
    using calls = open({ ...waitingLimits, maxCallsOfOne: 1 })
    await calls.begin(asker(), asksTwice)

    const second = await calls.begin(asker(), asksTwice)
    const other = await calls.begin(asker({ caller: 'ben' }), asksTwice)

    expect(second).toEqual({ kind: 'done', value: 'decline decline' })
    expect(other.kind).toBe('asks')
  })

  test('that failed while it waited tells so to the client that comes back', async () => {
    using calls = open()
    const died = Promise.withResolvers<never>()
    const work: Work<string> = async ({ onAsk, signal }) =>
      Promise.race([onAsk(form, { signal }).then(() => ''), died.promise])

    const state = stateOf(await calls.begin(asker(), work))
    died.reject(new Error('the server has died'))

    await expect(calls.resume(asker(), state, () => undefined)).rejects.toThrow('the server has died')
  })
})

function stateOfAnother(): string {
  const expiresAtMs = Date.now() + 1000
  return makeSeal(Date.now).close({ id: 'x', turn: 1, caller: 'anna', request: 'r', expiresAtMs })
}

describe('a seal', () => {
  test('hides what it holds, and opens until its time is over', () => {
    let nowMs = 1000
    const seal = makeSeal(() => nowMs)
    const state = { id: 'x', turn: 1, caller: 'anna', request: 'r', expiresAtMs: 2000 }

    const text = seal.close(state)

    expect(Buffer.from(text, 'base64url').toString('latin1')).not.toContain('anna')
    expect(seal.open(text)).toEqual(state)
    nowMs = 2000
    expect(seal.open(text)).toBeUndefined()
  })
})
