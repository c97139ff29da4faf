import { expect, test } from 'vitest'
import { serverValues } from '../../src/commands/server-values.ts'
import { openCommands } from '../../src/commands/open-commands.ts'
import type { Completion, Hub } from '../../src/hub/api.ts'
import type { FixtureEntry } from '../fixtures/fixture.ts'
import { inlineServer } from '../hub/inline-server.ts'
import { openTestHub } from '../hub/makers.ts'
import { contextOver } from './session-view.ts'

const target = { server: 's', prompt: 'p' }
const ask = (typed: string, signal?: AbortSignal) => ({ target, argument: 'a', typed, given: {}, signal })

function counting(answer: (value: string, signal: AbortSignal | undefined) => Promise<Completion>) {
  const asked: string[] = []
  const hub: Pick<Hub, 'complete'> = {
    complete: (_target, { value }, options) => {
      asked.push(value)
      return answer(value, options?.signal)
    },
  }
  return { hub, asked }
}

const everything: FixtureEntry = {
  command: process.execPath,
  args: ['node_modules/@modelcontextprotocol/server-everything/dist/index.js'].map(
    (file) => `${process.cwd()}/${file}`,
  ),
}

test('values come from the server-everything, and the ones of the next argument depend on the first', async () => {
  await using hub = await openTestHub({ everything })
  using commands = openCommands(contextOver(hub), { completion: { debounceMs: 0, limitMs: 10_000 } })
  await commands.execute('/everything:nothing')
  const labels = async (line: string) => (await commands.suggest(line, line.length)).items.map(({ label }) => label)

  expect(await labels('/everything:completable-prompt department=Eng')).toEqual(['Engineering'])
  expect(await labels('/everything:completable-prompt department=Sales name=')).toEqual(['David', 'Eve', 'Frank'])
})

test('an answer is kept for a while, each under its own other arguments', async () => {
  let nowMs = 0
  const { hub, asked } = counting(async () => ({ values: ['x'] }))
  const values = serverValues({ hub, debounceMs: 0, keepMs: 1000, now: () => nowMs })

  await values.suggest(ask('a'))
  await values.suggest(ask('a'))
  await values.suggest({ ...ask('a'), given: { other: '1' } })
  nowMs = 1001
  await values.suggest(ask('a'))
  values.forget()
  await values.suggest(ask('a'))

  expect(asked).toHaveLength(4)
})

test('a question that is given up while typing goes on never reaches the server', async () => {
  const { hub, asked } = counting(async () => ({ values: ['x'] }))
  const values = serverValues({ hub, debounceMs: 10_000 })
  const typing = new AbortController()

  const answer = values.suggest(ask('a', typing.signal))
  typing.abort()

  expect(await answer).toEqual({ values: [] })
  expect(asked).toEqual([])
})

test('a question that is under way is cancelled at the server when typing goes on', async () => {
  const started = Promise.withResolvers<AbortSignal | undefined>()
  const { hub } = counting((_value, signal) => {
    started.resolve(signal)
    return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error('cancelled'))))
  })
  const values = serverValues({ hub, debounceMs: 0 })
  const typing = new AbortController()

  const answer = values.suggest(ask('a', typing.signal))
  const signal = await started.promise
  typing.abort()

  expect(await answer).toEqual({ values: [] })
  expect(signal?.aborted).toBe(true)
})

test.each([
  ['that fails', `wire.send({ id, error: { code: -32603, message: 'no idea' } })`],
  ['that never answers', ``],
  ['that answers nonsense', `wire.send({ id, result: { completion: 'nonsense' } })`],
])('a server %s offers nothing, and says nothing', async (_title, answer) => {
  const bad = inlineServer(`serveRaw({
    name: 'bad',
    prompts: [{ name: 'p', arguments: [{ name: 'a' }] }],
    intercept: ({ method, id }, wire) => {
      if (method !== 'completion/complete') return false
      ${answer}
      return true
    },
  })`)
  await using hub = await openTestHub({ bad })
  using commands = openCommands(contextOver(hub), { completion: { debounceMs: 0, limitMs: 150 } })
  await commands.execute('/bad:nothing')

  const { items, argument } = await commands.suggest('/bad:p x', 8)

  expect(items).toEqual([])
  expect(argument?.name).toBe('a')
})
