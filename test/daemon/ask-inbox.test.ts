import { describe, expect, test } from 'vitest'
import { askInbox, type WaitingAsk } from '../../src/daemon/ask-inbox.ts'
import type { Ask } from '../../src/hub/api.ts'

const form: Ask = {
  kind: 'form',
  server: 'one',
  message: 'What may it be?',
  schema: { type: 'object', properties: { drink: { type: 'string', enum: ['tea'] } }, required: ['drink'] },
}
const page: Ask = { kind: 'url', server: 'one', message: '', url: 'https://example.org/', purpose: 'elicitation' }
const lasting = () => ({ signal: new AbortController().signal })

describe('the inbox', () => {
  test('keeps a question until it is answered, and tells its caller once', async () => {
    const inbox = askInbox()
    const told: WaitingAsk[] = []

    const answer = inbox.takeFrom('cli', (waiting) => told.push(waiting))(form, lasting())
    expect(inbox.waiting()).toMatchObject([{ id: 'ask:1', ask: form, client: 'cli' }])
    expect(inbox.answer({ id: 'ask:1', answer: { action: 'accept', content: { drink: 'tea' } } })).toBe(true)

    expect(await answer).toEqual({ action: 'accept', content: { drink: 'tea' } })
    expect([told.length, inbox.waiting()]).toEqual([1, []])
    expect(inbox.answer({ id: 'ask:1', answer: { action: 'decline' } })).toBe(false)
  })

  test('declines a question with a reason when its call is over, before or while it waits', async () => {
    const inbox = askInbox()
    const take = inbox.takeFrom('cli', () => undefined)
    const over = new AbortController()

    const answer = take(form, { signal: over.signal })
    over.abort()

    expect(await answer).toMatchObject({ action: 'decline', reason: expect.stringContaining('call was over') })
    expect(await take(form, { signal: over.signal })).toMatchObject({ action: 'decline' })
    expect(inbox.waiting()).toEqual([])
  })

  test.each<readonly [what: string, ask: Ask]>([
    ['a model', { kind: 'sampling', server: 'one', request: {} }],
    ['a login', { ...page, purpose: 'login' }],
  ])('declines at once what nobody could answer there: %s', async (_what, ask) => {
    const inbox = askInbox()

    expect(await inbox.takeFrom('cli', () => undefined)(ask, lasting())).toMatchObject({ action: 'decline' })
    expect(inbox.waiting()).toEqual([])
  })

  test('refuses an answer that does not fit, and the question goes on waiting', () => {
    const inbox = askInbox()
    void inbox.takeFrom('cli', () => undefined)(form, lasting())

    const misfit = () => inbox.answer({ id: 'ask:1', answer: { action: 'accept', content: { drink: 'milk' } } })

    expect(misfit).toThrow(expect.objectContaining({ code: 'arguments_invalid' }))
    expect(inbox.waiting()).toHaveLength(1)
  })

  test.each([[undefined], [{}], [{ id: 1 }], [{ id: 'ask:1' }], [{ id: 'ask:1', answer: { action: 'shout' } }]])(
    'refuses a message that is no answer: %j',
    (params) => {
      expect(() => askInbox().answer(params)).toThrow(expect.objectContaining({ code: 'usage' }))
    },
  )

  test('holds a hundred questions, and declines the next', async () => {
    const inbox = askInbox()
    const take = inbox.takeFrom('cli', () => undefined)
    for (let asked = 0; asked < 100; asked++) void take(page, lasting())

    expect(await take(page, lasting())).toMatchObject({ action: 'decline', reason: expect.stringContaining('100') })
    expect(inbox.waiting()).toHaveLength(100)
  })
})
