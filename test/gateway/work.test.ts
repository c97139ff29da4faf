import { expect, test } from 'vitest'
import { CapstanError } from '../../src/errors.ts'
import type { Exchange, Round } from '../../src/gateway/exchange.ts'
import { makeSeal } from '../../src/gateway/seal.ts'
import { waitingCalls, type Work } from '../../src/gateway/waiting-calls.ts'
import { doWork } from '../../src/gateway/work.ts'
import type { Ask } from '../../src/hub/api.ts'

const name: Ask = { kind: 'form', server: 'one', key: 'user_name', message: 'Who?', schema: {} }
const asksForName: Work<string> = async ({ onAsk, signal }) => {
  const answer = await onAsk(name, { signal })
  return answer.action === 'accept' ? JSON.stringify(answer.content) : answer.action
}
const asking = { caller: 'anna', saysServer: false }
const alice = { kind: 'done', value: '{"name":"Alice"}' }
const accepted = { action: 'accept', content: { name: 'Alice' } }

function exchange(round: Partial<Round>, sampling = true): Exchange {
  return {
    client: 'test',
    signal: new AbortController().signal,
    askable: { form: true, url: true, sampling, samplingWithTools: false, roots: true },
    meta: {},
    log: () => {},
    round: { request: 'r', answers: {}, ...round },
  }
}

function open() {
  return waitingCalls<string>(makeSeal(Date.now), Date.now)
}

test('a question keeps the name that its server gave it, and is answered under it', async () => {
  using waiting = open()

  const first = await doWork(waiting, exchange({}), { ...asking, work: asksForName })
  const state = first.kind === 'asks' ? first.requestState : ''
  const answers = { user_name: accepted, somebody_else: 1 }
  const last = await doWork(waiting, exchange({ state, answers }), { ...asking, work: asksForName })

  expect(first).toMatchObject({ inputRequests: { user_name: { method: 'elicitation/create' } } })
  expect(last).toEqual(alice)
})

test('two questions of the same name, or of an odd one, get names of their own', async () => {
  using waiting = open()
  const several: Work<string> = async ({ onAsk, signal }) => {
    await Promise.all([name, name, { ...name, key: '__proto__' }].map((ask) => onAsk(ask, { signal })))
    return 'all'
  }

  const first = await doWork(waiting, exchange({}), { ...asking, work: several })

  const keys = first.kind === 'asks' ? Object.keys(first.inputRequests) : []
  expect(keys).toEqual(['user_name', 'capstan/2', 'capstan/3'])
})

test('an answer that a client brings along counts, once', async () => {
  using waiting = open()
  const twice: Work<string> = async (options) => `${await asksForName(options)} ${await asksForName(options)}`
  const brings = exchange({ answers: { user_name: accepted } })

  const once = await doWork(waiting, brings, { ...asking, work: asksForName })
  const again = await doWork(waiting, brings, { ...asking, work: twice })

  expect(once).toEqual(alice)
  expect(again).toMatchObject({ kind: 'asks', inputRequests: { user_name: {} } })
})

test('a client that lends no model is told so when a call failed for want of one, and only then', async () => {
  using waiting = open()
  const fails: Work<string> = () => Promise.reject(new CapstanError('ask_declined', 'No model.'))

  const lacking = doWork(waiting, exchange({}, false), { ...asking, work: fails })
  const lending = doWork(waiting, exchange({}, true), { ...asking, work: fails })

  await expect(lacking).rejects.toMatchObject({ code: -32021, data: { requiredCapabilities: { sampling: {} } } })
  await expect(lending).rejects.toMatchObject({ code: 'ask_declined' })
})
