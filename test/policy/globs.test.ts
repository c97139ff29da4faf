import fc from 'fast-check'
import { expect, test } from 'vitest'
import { matchesGlob } from '../../src/policy/globs.ts'

test.each([
  ['read_file', 'read_file'],
  ['*', ''],
  ['*', 'anything.at/all'],
  ['read_*', 'read_'],
  ['read_*', 'read_file'],
  ['*_file', 'read_file'],
  ['*e*i*', 'read_file'],
  ['read_fil?', 'read_file'],
  ['?', '🙂'],
  ['{read,write}_file', 'write_file'],
  ['{read,write}_{file,dir}', 'read_dir'],
  ['{get,list{_all,}}_x', 'list_x'],
  ['{get,list{_all,}}_x', 'list_all_x'],
  ['{a*,b}c', 'axyzc'],
  ['x{,y}', 'x'],
  ['a{b', 'a{b'],
  ['a}b*', 'a}b'],
  ['[ab].+', '[ab].+'],
  ['*.delete_*', 'github.delete_repo'],
])('%j matches %j', (pattern, name) => {
  expect(matchesGlob(pattern, name)).toBe(true)
})

test.each([
  ['read_file', 'read_files'],
  ['read_file', 'Read_file'],
  ['read_file', 'xread_file'],
  ['', 'x'],
  ['?', ''],
  ['?', 'ab'],
  ['read_*', 'xread_file'],
  ['{read,write}_file', 'delete_file'],
  ['{read,write}', 'read,write'],
  ['a.c*', 'abc'],
  ['[ab]*', 'a'],
])('%j does not match %j', (pattern, name) => {
  expect(matchesGlob(pattern, name)).toBe(false)
})

test('a pattern made to blow up is answered at once', () => {
  const started = performance.now()

  expect(matchesGlob('*a'.repeat(300), 'a'.repeat(2000) + 'b')).toBe(false)
  expect(matchesGlob('{a,a,a}'.repeat(200), 'a'.repeat(199))).toBe(false)
  expect(performance.now() - started).toBeLessThan(2000)
})

test('every name matches itself as a pattern of question marks and with any part replaced by a star', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat(), fc.nat(), (name, a, b) => {
      const plain = name.replace(/[*?{}]/g, '')
      const [from, to] = [a % (plain.length + 1), b % (plain.length + 1)].sort((x, y) => x - y)

      expect(matchesGlob('?'.repeat(Array.from(plain).length) + '*', plain)).toBe(true)
      // Cutting a surrogate pair in two would make another name.
      fc.pre([plain.slice(0, from), plain.slice(to)].every((part) => part.isWellFormed()))
      expect(matchesGlob(`${plain.slice(0, from)}*${plain.slice(to)}`, plain)).toBe(true)
    }),
  )
})
