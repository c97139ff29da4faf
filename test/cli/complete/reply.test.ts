import { expect, test } from 'vitest'
import { files, plain, words, type Offer } from '../../../src/cli/complete/offer.ts'
import { renderReply } from '../../../src/cli/complete/reply.ts'
import { splitLine } from '../../../src/cli/complete/split-line.ts'

function bashReply(offer: Offer, line: string, word?: string): readonly string[] {
  return renderReply('bash', offer, { line: splitLine(line, 'bash'), word })
    .split('\n')
    .slice(2, -1)
}

test('names of files are left to the shell, with the part of the word that stays', () => {
  const cursor = { line: splitLine('c k=@x', 'fish'), word: undefined }

  expect(renderReply('fish', files('k=@'), cursor)).toBe('files\nk=@\n')
})

test('bash gets what fits and only what comes in place of its own word, with a blank behind what is finished', () => {
  const values = words(plain(['red', 'rose', 'blue']), 'colour=')

  expect(bashReply(values, 'c colour=r', 'r')).toEqual(['red ', 'rose '])
  expect(bashReply(values, 'c colour=r', 'colour=r')).toEqual(['colour=red ', 'colour=rose '])
  expect(bashReply(values, 'c colour=', '')).toEqual(['red ', 'rose ', 'blue '])
  expect(bashReply(words(plain(['colour='])), 'c co', 'co')).toEqual(['colour='])
  expect(bashReply(words(plain(['one:greet'])), 'c one:g', 'g')).toEqual(['greet '])
})

test('bash gets nothing where its word is not the end of what was typed', () => {
  expect(bashReply(words(plain(['abc'])), 'c ab', 'x')).toEqual([])
})

test.each([
  ['k=', 'a\\ b\\$\\(c\\)\\"\\\'\\!\\\\ '],
  ["k='", `a b$(c)"'\\''!\\`],
  ['k="', `a b\\$(c)\\"'"'!'"\\\\`],
])('behind %j bash gets a value quoted so that it is itself again', (typed, expected) => {
  const [reply] = bashReply(words(plain([`a b$(c)"'!\\`]), 'k='), `c ${typed}`, '')

  expect(reply).toBe(expected)
})

test('a quote that readline would leave open is closed', () => {
  expect(bashReply(words(plain(['say "x"'])), 'c "s', 's')).toEqual(['say \\"x\\""'])
  expect(bashReply(words(plain(["x'"])), "c 'x", 'x')).toEqual([`x'\\'''`])
})

test('zsh gets values without the part that stays, fish with it, both with a text on one short line', () => {
  const offer = words([{ value: 'v', about: `one\ttwo\nthree \u001B[31m${'x'.repeat(100)}` }, { value: 'w' }], 'k=')
  const reply = (shell: 'zsh' | 'fish') =>
    renderReply(shell, offer, { line: splitLine('c k=', shell), word: undefined }).split('\n')

  const about = `one two three ${'x'.repeat(65)}…`
  expect(reply('zsh')).toEqual(['words', 'k=', `v\t${about}`, 'w\t', ''])
  expect(reply('fish')).toEqual(['words', 'k=', `k=v\t${about}`, 'k=w\t', ''])
})

test.each(['bash', 'zsh', 'fish'] as const)('%s never gets a value with something hidden in it', (shell) => {
  const offer = words(plain(['a\nb', 'a\tb', 'a\u001B[31m', 'a\u202Eb', 'a\u200Bb', 'a\u0007', '', 'ab']))

  const reply = renderReply(shell, offer, { line: splitLine('c a', shell), word: undefined })

  expect(reply.split('\n').slice(2, -1)).toHaveLength(1)
})
