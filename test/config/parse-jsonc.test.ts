import { expect, test } from 'vitest'
import { parseJsonc } from '../../src/config/parse-jsonc.ts'

test('comments, trailing commas and a byte order mark are accepted', () => {
  expect(parseJsonc('\uFEFF{ // c\n "a": [1, /* d */ 2,], }', 'f')).toEqual({ a: [1, 2] })
})

test.each([
  ['{"a": 1 "b": 2}', 'f:1:9: comma expected.'],
  ['{\n  "a": tru\n}', 'f:2:8: invalid symbol.'],
  ['{\r\n  "a": [1,\r\n', 'f:3:1: value expected.'],
  ['', 'f:1:1: value expected.'],
  ['{} {}', 'f:1:4: end of file expected.'],
])('what is wrong in %j is said with file, line and column', (text, message) => {
  expect(() => parseJsonc(text, 'f')).toThrow(expect.objectContaining({ code: 'config_invalid', message }))
})

test.each([
  '{"a": {"command": "x", "__proto__": {"env": {"NODE_OPTIONS": "--import=evil"}}}}',
  '{"a": {"env": {"\\u005f_proto__": {"A": "1"}}}}',
  '[{"__proto__": []}]',
])('a hidden prototype is refused: %s', (text) => {
  expect(() => parseJsonc(text, 'f')).toThrow(expect.objectContaining({ code: 'config_invalid' }))
})
