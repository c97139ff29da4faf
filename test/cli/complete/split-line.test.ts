import { expect, test } from 'vitest'
import { splitLine } from '../../../src/cli/complete/split-line.ts'

test.each([
  ['', [], '', ''],
  ['capstan', [], 'capstan', ''],
  ['capstan ', ['capstan'], '', ''],
  ['  capstan   call  a', ['capstan', 'call'], 'a', ''],
  ['c k=a\\ b', ['c'], 'k=a b', ''],
  ['c k="a b', ['c'], 'k=a b', '"'],
  ["c 'k=a b", ['c'], 'k=a b', "'"],
  ['c "a b" ', ['c', 'a b'], '', ''],
  ['c "" x', ['c', ''], 'x', ''],
  ['c "it\'s"', ['c'], "it's", ''],
  ['c "\\$\\"\\n', ['c'], '$"\\n', '"'],
  ["c 'a\\", ['c'], 'a\\', "'"],
  ['c a\\', ['c'], 'a\\', ''],
  ['c one\ttwo\n', ['c', 'one', 'two'], '', ''],
])('the line %j is split as bash and zsh do', (line, words, current, quote) => {
  expect(splitLine(line, 'bash')).toEqual({ words, current, quote })
  expect(splitLine(line, 'zsh')).toEqual({ words, current, quote })
})

test('fish escapes a quote within single quotes, and a backtick nowhere', () => {
  expect(splitLine(String.raw`c 'it\'s \\ \n`, 'fish')).toEqual({
    words: ['c'],
    current: String.raw`it's \ \n`,
    quote: "'",
  })
  expect(splitLine('c "\\`', 'fish').current).toBe('\\`')
})
