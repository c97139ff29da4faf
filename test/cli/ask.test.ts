import { expect, test } from 'vitest'
import { ask } from '../../src/cli/ask.ts'
import { person } from './person.ts'

test('asks on stderr and resolves to the line that was typed', async () => {
  const ada = person({ types: 'Ada\n' })

  const answer = await ask(ada.io, 'Your name?')

  expect(answer).toBe('Ada')
  expect(ada.said()).toBe('Your name? ')
})

test('an empty line means the default', async () => {
  const ada = person({ types: '\n' })

  expect(await ask(ada.io, 'Copy?', { choices: ['yes', 'no'], default: 'no' })).toBe('no')
})

test('the start of a choice is enough, in any case', async () => {
  const ada = person({ types: 'A\n' })

  expect(await ask(ada.io, 'Which?', { choices: ['all', 'choose', 'none'] })).toBe('all')
})

test('asks again until the answer is one of the choices', async () => {
  const ada = person({ types: 'maybe\n\nnone\n' })

  expect(await ask(ada.io, 'Which?', { choices: ['all', 'none'] })).toBe('none')
  expect(ada.said().match(/Please answer all, none\./g)).toHaveLength(2)
})

test('a start that fits two choices is not guessed', async () => {
  const ada = person({ types: 'c\ncopy\n' })

  expect(await ask(ada.io, 'Which?', { choices: ['choose', 'copy'] })).toBe('copy')
})

test('lines that arrive together answer the questions one after the other', async () => {
  const ada = person({ types: 'one\ntwo\nthree\n' })

  const answers = [await ask(ada.io, 'a?'), await ask(ada.io, 'b?'), await ask(ada.io, 'c?')]

  expect(answers).toEqual(['one', 'two', 'three'])
})

test('the end of the input cancels', async () => {
  const ada = person()
  ada.stdin.end()

  await expect(ask(ada.io, 'Which?')).rejects.toMatchObject({ code: 'cancelled' })
})

test.each([[false], [true]])(
  'Ctrl-C cancels on a terminal, and ends the line of the question (hidden: %s)',
  async (hidden) => {
    const ada = person({ types: '\u0003', isAtTerminal: true })

    await expect(ask(ada.io, 'Which?', { hidden })).rejects.toMatchObject({ code: 'cancelled' })

    expect(ada.said()).toMatch(/Which\?[^\n]*\n$/)
  },
)

test.each([
  ['a timeout', 'timed_out', () => AbortSignal.timeout(1)],
  ['an interruption', 'cancelled', () => AbortSignal.abort()],
])('%s gives up the question', async (_what, code, signal) => {
  const ada = person({ isAtTerminal: true })

  await expect(ask(ada.io, 'Which?', { signal: signal() })).rejects.toMatchObject({ code })
})

test('a hidden answer is read but never shown', async () => {
  const ada = person({ types: 's3cret\r', isAtTerminal: true })

  expect(await ask(ada.io, 'Token?', { hidden: true })).toBe('s3cret')
  expect(ada.said()).toContain('Token?')
  expect(ada.said()).not.toMatch(/s3c|[*]/)
})
