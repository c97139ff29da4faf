import fc from 'fast-check'
import { expect, test } from 'vitest'
import { displayWidth, padEnd, padStart, truncate, wrap } from '../../../src/cli/render/width.ts'

test.each([
  ['plain', 5],
  ['', 0],
  ['日本', 4],
  ['한국', 4],
  ['ｆｕｌｌ', 8],
  ['café', 4],
  ['cafe\u0301', 4],
  ['🎉', 2],
  ['👩‍👩‍👧', 2],
  ['🇨🇭', 2],
  ['❤️', 2],
  ['→…', 2],
  ['\u200b', 0],
])('%j takes %i columns', (text, width) => {
  expect(displayWidth(text)).toBe(width)
})

test('a cut text says so and never takes more than its width', () => {
  expect(truncate('hello world', 8)).toBe('hello w…')
  expect(truncate('hello', 5)).toBe('hello')
  expect(truncate('日本語', 4)).toBe('日…')
  expect(truncate('x', 0)).toBe('')
})

test('padding counts columns, not characters', () => {
  expect(padEnd('日', 4)).toBe('日  ')
  expect(padStart('日', 4)).toBe('  日')
})

test('text is broken between words, and keeps its own line ends and indentation', () => {
  expect(wrap('one two three', 8)).toEqual(['one two', 'three'])
  expect(wrap('a\n\nb', 8)).toEqual(['a', '', 'b'])
  expect(wrap('  - one two three', 10)).toEqual(['  - one', '    two', '    three'])
})

test('a word longer than the line is cut, and nothing of it is lost', () => {
  expect(wrap('abcdefghij', 4)).toEqual(['abcd', 'efgh', 'ij'])
  expect(wrap('日本語', 1)).toEqual(['日', '本', '語'])
})

test('without a terminal nothing is wrapped', () => {
  expect(wrap('x '.repeat(200).trim(), Number.POSITIVE_INFINITY)).toHaveLength(1)
})

test('no wrapped line of any text is too wide', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.integer({ min: 4, max: 30 }), (text, width) => {
      return wrap(text, width).every((line) => displayWidth(line) <= width)
    }),
  )
})

test('no cut text is too wide', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), fc.integer({ min: 1, max: 20 }), (text, width) => {
      return displayWidth(truncate(text, width)) <= width
    }),
  )
})
