import fc from 'fast-check'
import { expect, test } from 'vitest'
import { editDistance, nearest } from '../../../src/hub/catalogue/nearest.ts'

const names = [
  'everything.echo',
  'everything.get-sum',
  'filesystem.read_file',
  'filesystem.read_text_file',
  'memory.read_graph',
]

test.each([
  ['everything.ehco', ['everything.echo']],
  ['ecoh', ['everything.echo']],
  ['readFile', ['filesystem.read_file']],
  ['filesytem.read_file', ['filesystem.read_file']],
  ['read_grph', ['memory.read_graph']],
  ['EVERYTHING.ECHO', ['everything.echo']],
])('a slip in %s finds what was meant first', (typed, [first]) => {
  expect(nearest(typed, names)[0]).toBe(first)
})

test('a part of a name finds every name that holds it, at most three', () => {
  expect(nearest('read', names)).toHaveLength(3)
  expect(nearest('read', names, 1)).toHaveLength(1)
})

test('a name that is like none of them finds nothing', () => {
  expect(nearest('weather', names)).toEqual([])
  expect(nearest('', names)).toEqual([])
  expect(nearest('x', [])).toEqual([])
})

test('an exact name comes before all that only resemble it', () => {
  expect(nearest('echo', ['echoes', 'ech', 'echo'])[0]).toBe('echo')
})

test('two swapped neighbours count as one edit', () => {
  expect(editDistance('ehco', 'echo')).toBe(1)
  expect(editDistance('abc', 'abc')).toBe(0)
  expect(editDistance('', 'abc')).toBe(3)
})

test('the edit distance is symmetric and never more than the longer word', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 12 }), fc.string({ maxLength: 12 }), (a, b) => {
      const distance = editDistance(a, b)
      return distance === editDistance(b, a) && distance <= Math.max(a.length, b.length)
    }),
  )
})
