import fc from 'fast-check'
import { expect, test } from 'vitest'
import { splitCommand } from '../../src/config/split-command.ts'

test.each([
  ['node server.js', ['node', 'server.js']],
  ['  node \t server.js \n', ['node', 'server.js']],
  ['', []],
  [`sh -c 'echo "hi"'`, ['sh', '-c', 'echo "hi"']],
  ['node "my server.js" --x', ['node', 'my server.js', '--x']],
  ['a"b c"d', ['ab cd']],
  [`tool "" ''`, ['tool', '', '']],
  ['say "a \\"quoted\\" word"', ['say', 'a "quoted" word']],
  ['my\\ server', ['my server']],
  ['C:\\tools\\server.exe --dir C:\\data', ['C:\\tools\\server.exe', '--dir', 'C:\\data']],
  ['node x.js ; rm -rf $HOME', ['node', 'x.js', ';', 'rm', '-rf', '$HOME']],
])('splits %j without a shell', (text, words) => {
  expect(splitCommand(text)).toEqual(words)
})

test.each([`node 'server.js`, 'node "server.js', 'a "b\\"'])('refuses the unclosed quote in %j', (text) => {
  expect(() => splitCommand(text)).toThrow(/never closed/)
})

test('words quoted for a POSIX shell come back as they were', () => {
  const quote = (word: string) => `'${word.replaceAll("'", `'"'"'`)}'`

  fc.assert(
    fc.property(fc.array(fc.string()), (words) => {
      expect(splitCommand(words.map(quote).join(' '))).toEqual(words)
    }),
  )
})
