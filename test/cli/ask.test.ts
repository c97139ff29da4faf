import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { ask } from '../../src/cli/ask.ts'
import type { Io } from '../../src/cli/command.ts'

test('asks on stderr and resolves to the line that was typed', async () => {
  const person = personTyping('Ada\n')

  const answer = await ask(person.io, 'Your name?')

  expect(answer).toBe('Ada')
  expect(person.shown()).toBe('Your name? ')
})

test('an empty line means the default', async () => {
  const person = personTyping('\n')

  expect(await ask(person.io, 'Copy?', { choices: ['yes', 'no'], default: 'no' })).toBe('no')
})

test('the start of a choice is enough, in any case', async () => {
  const person = personTyping('A\n')

  expect(await ask(person.io, 'Which?', { choices: ['all', 'choose', 'none'] })).toBe('all')
})

test('asks again until the answer is one of the choices', async () => {
  const person = personTyping('maybe\n\nnone\n')

  expect(await ask(person.io, 'Which?', { choices: ['all', 'none'] })).toBe('none')
  expect(person.shown().match(/Please answer all, none\./g)).toHaveLength(2)
})

test('a start that fits two choices is not guessed', async () => {
  const person = personTyping('c\ncopy\n')

  expect(await ask(person.io, 'Which?', { choices: ['choose', 'copy'] })).toBe('copy')
})

test('lines that arrive together answer the questions one after the other', async () => {
  const person = personTyping('one\ntwo\nthree\n')

  const answers = [await ask(person.io, 'a?'), await ask(person.io, 'b?'), await ask(person.io, 'c?')]

  expect(answers).toEqual(['one', 'two', 'three'])
})

test('the end of the input cancels', async () => {
  const person = personTyping('')
  person.stdin.end()

  await expect(ask(person.io, 'Which?')).rejects.toMatchObject({ code: 'cancelled' })
})

test('Ctrl-C cancels on a terminal', async () => {
  const person = personTyping('\u0003', { terminal: true })

  await expect(ask(person.io, 'Which?')).rejects.toMatchObject({ code: 'cancelled' })
})

function personTyping(text: string, { terminal = false } = {}) {
  const stdin = new PassThrough()
  let shown = ''
  const io: Io = {
    out: () => Promise.reject(new Error('a question must not write to stdout')),
    err: (chunk) => {
      shown += chunk
    },
    readStdin: () => Promise.resolve(''),
    stdin,
    env: {},
    cwd: '/',
    stdoutIsTerminal: false,
    stderrIsTerminal: terminal,
    stdinIsTerminal: terminal,
    columns: 80,
  }
  if (text !== '') stdin.write(text)
  return { io, stdin, shown: () => shown }
}
