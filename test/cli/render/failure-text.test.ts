import { expect, test } from 'vitest'
import { failureText } from '../../../src/cli/render/failure-text.ts'

const message = 'The file /a/path/that/is/longer/than/the/terminal.json cannot be read, because it is a folder.'

test('breaks a message between words to fit a terminal, and no path within', () => {
  expect(failureText({ message, next: 'Name the file that is meant, not its folder, and try again.' }, 40)).toBe(
    [
      'capstan: The file',
      '/a/path/that/is/longer/than/the/terminal.json',
      'cannot be read, because it is a folder.',
      '  → Name the file that is meant, not its',
      '    folder, and try again.',
      '',
    ].join('\n'),
  )
})

test('leaves a command in one piece, so that it can be copied', () => {
  const next = 'Run: capstan call a.very.long.name with=arguments and=more'

  expect(failureText({ message: 'No.', next }, 30)).toBe(`capstan: No.\n  → ${next}\n`)
})

test('leaves lines whole in a pipe, and cleans them', () => {
  expect(failureText({ message: `${message}\u001B[2J` }, Number.POSITIVE_INFINITY)).toBe(`capstan: ${message}\n`)
})
