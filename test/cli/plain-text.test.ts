import { expect, test } from 'vitest'
import { plainLine, plainText, revealedText } from '../../src/policy/plain-text.ts'

test.each([
  ['colours', '\u001B[31mred\u001B[0m', 'red'],
  ['cursor moves and screen clears', 'a\u001B[2J\u001B[1;1Hb', 'ab'],
  ['the eight-bit form of a sequence', 'a\u009B31mb', 'ab'],
  ['a window title', '\u001B]0;owned\u0007text', 'text'],
  ['a link, but not its text', '\u001B]8;;https://evil.example\u001B\\click\u001B]8;;\u001B\\', 'click'],
  ['a write to the clipboard', '\u001B]52;c;ZXZpbA==\u0007ok', 'ok'],
  ['a sequence that is never ended, up to its line', '\u001B]0;owned\nnext', '\nnext'],
  ['an escape at the very end', 'text\u001B', 'text'],
  ['two-character escapes', '\u001Bcreset\u001B(B', 'reset'],
  ['bells, backspaces and nulls', 'a\u0007b\bc\u0000d\u007F', 'abcd'],
  ['carriage returns that would overwrite a line', 'safe\revil', 'safeevil'],
  ['bidi overrides', 'a\u202Etxt.exe\u202C', 'atxt.exe'],
  ['zero-width characters', 'pay\u200Bpal\uFEFF', 'paypal'],
  ['hidden tag characters', 'hi\u{E0041}\u{E0042}', 'hi'],
])('removes %s', (_what, text, expected) => {
  expect(plainText(text)).toBe(expected)
})

test('keeps lines, tabs, accents, emoji and other scripts as they are', () => {
  const text = 'Zürich\t日本語\n🎉 עברית'

  expect(plainText(text)).toBe(text)
})

test('turns every kind of line break into a line feed', () => {
  expect(plainText('a\r\nb\u2028c')).toBe('a\nb\nc')
})

test('an escape sequence cannot be put together from what is left over', () => {
  expect(plainText('\u001B\u001B[31m[31mred')).not.toContain('\u001B')
})

test('text for one line has no line break in it', () => {
  expect(plainLine('  a\n\tb\u001B[1m c ')).toBe('a b c')
})

test('in revealed text every hidden character can be seen', () => {
  expect(revealedText('npx a\u200Bb \u202E\u001B[1m\n\u{E0041}é 日')).toBe(
    String.raw`npx a\u{200b}b \u{202e}\u{1b}[1m\u{a}\u{e0041}é 日`,
  )
})
