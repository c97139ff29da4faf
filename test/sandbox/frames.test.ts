import { expect, test } from 'vitest'
import { placeInSnippet, snippetFrames } from '../../src/sandbox/frames.ts'

const layout = { shift: 11, lines: ['const a = 1', 'load()'] }

test('only frames in the snippet are kept, the innermost first', () => {
  const stack = [
    '    at errand (capstan:90:12)',
    '    at parse (native)',
    '    at load (exec:2:5)',
    '    at <anonymous> (exec:1:20)',
    '    at fake (/etc/passwd:1:1)',
    '',
  ].join('\n')

  expect(snippetFrames(stack, layout)).toEqual([
    { functionName: 'load', line: 2, column: 5 },
    { line: 1, column: 9 },
  ])
})

test('a stack that a snippet made up gives no more than twenty frames', () => {
  expect(snippetFrames('    at exec:1:12\n'.repeat(1000), layout)).toHaveLength(20)
})

test.each([
  ['the first line, without what we put before it', 1, 12, { line: 1, column: 1 }],
  ['what we put before the first line', 1, 3, { line: 1, column: 1 }],
  ['another line', 2, 5, { line: 2, column: 5 }],
  ['what we put behind the snippet', 3, 1, { line: 2, column: 7 }],
])('a place in %s is a place in the snippet', (_where, line, column, place) => {
  expect(placeInSnippet(line, column, layout)).toEqual(place)
})
