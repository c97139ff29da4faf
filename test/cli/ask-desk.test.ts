import { expect, test } from 'vitest'
import { askDesk } from '../../src/cli/ask-desk.ts'
import { heldLines } from '../../src/cli/held-lines.ts'
import { showProgress } from '../../src/cli/progress.ts'
import type { Ask } from '../../src/hub/api.ts'
import { person } from './person.ts'

const form = (message: string): Ask => ({
  kind: 'form',
  server: 'one',
  message,
  schema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
})
const lasting = () => ({ signal: new AbortController().signal })
const nobodysAnswers = () => ({ answers: new Map<string, string>(), used: new Set<string>(), giveUp: () => undefined })

test('questions that come together are asked one after the other', async () => {
  const ada = person({ isAtTerminal: true, types: 'Ada\nyes\nBob\nyes\n' })
  const onAsk = askDesk({ io: ada.io, mayAsk: true, ...nobodysAnswers() })

  const answers = await Promise.all([onAsk(form('First?'), lasting()), onAsk(form('Second?'), lasting())])

  expect(answers).toEqual([
    { action: 'accept', content: { name: 'Ada' } },
    { action: 'accept', content: { name: 'Bob' } },
  ])
  expect(ada.said().indexOf('Second?')).toBeGreaterThan(ada.said().indexOf('Send this'))
})

test('a question whose call ended before its turn is not asked any more', async () => {
  const ada = person({ isAtTerminal: true, types: 'Ada\nyes\n' })
  const onAsk = askDesk({ io: ada.io, mayAsk: true, ...nobodysAnswers() })

  const first = onAsk(form('First?'), lasting())
  const second = onAsk(form('Second?'), { signal: AbortSignal.abort() })

  expect([await first, await second]).toMatchObject([{ action: 'accept' }, { action: 'cancel' }])
  expect(ada.said()).not.toContain('Second?')
})

test('an answer to one question is no consent to another', async () => {
  const script = person()
  const used = new Set<string>()
  const onAsk = askDesk({
    ...nobodysAnswers(),
    io: script.io,
    mayAsk: false,
    answers: new Map([['name', 'Ada']]),
    used,
  })
  const consent: Ask = { kind: 'form', server: 'one', message: 'Delete everything?', schema: { type: 'object' } }

  expect(await onAsk(consent, lasting())).toMatchObject({ action: 'decline' })
  expect(await onAsk(form('Who?'), lasting())).toEqual({ action: 'accept', content: { name: 'Ada' } })
  expect([...used]).toEqual(['name'])
})

test('lines that come while a question is open are written after it, in order', () => {
  const ada = person({ isAtTerminal: true })
  const held = heldLines(ada.io)

  held.io.err('1')
  held.pause()
  held.io.err('2')
  held.io.err('3')
  expect(ada.said()).toBe('1')
  held.resume()
  held.io.err('4')

  expect(ada.said()).toBe('1234')
})

test('progress is cleared before a question, and comes back after it', () => {
  const ada = person({ isAtTerminal: true })
  const progress = showProgress(ada.io)

  progress.onProgress({ progress: 1 })
  progress.pause()
  progress.onProgress({ progress: 2 })
  expect(ada.said()).toBe('\r\u001B[K1\r\u001B[K')
  progress.resume()
  progress.onProgress({ progress: 3 })

  expect(ada.said()).toBe('\r\u001B[K1\r\u001B[K\r\u001B[K3')
})
