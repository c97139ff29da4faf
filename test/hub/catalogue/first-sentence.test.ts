import { expect, test } from 'vitest'
import { firstSentence } from '../../../src/hub/catalogue/first-sentence.ts'

test.each([
  ['Reads a file. Fails when it is absent.', 'Reads a file.'],
  ['Reads a file', 'Reads a file'],
  ['  Reads\n  a file.\n\nArgs:\n  path', 'Reads a file.'],
  ['Fetches a URL\nArgs:\n    url: the address', 'Fetches a URL'],
  ['Does one of\n- this\n- that', 'Does one of'],
  ['Takes a name, e.g. "x". Returns it.', 'Takes a name, e.g. "x".'],
  ['Runs Node.js v2.0 code! Quickly.', 'Runs Node.js v2.0 code!'],
  ['# Search\n\nFinds things.', 'Search'],
  ['读取文件。如果不存在则失败。', '读取文件。'],
  ['one\u2028two', 'one two'],
  ['', ''],
  [undefined, ''],
])('of %j it is %j', (text, sentence) => {
  expect(firstSentence(text)).toBe(sentence)
})

test('a sentence without an end is cut with an ellipsis, never inside a character', () => {
  const cut = firstSentence('🎉'.repeat(200), 10)

  expect(cut).toBe(`${'🎉'.repeat(9)}…`)
})
