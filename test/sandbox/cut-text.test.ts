import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cutText } from '../../src/sandbox/cut-text.ts'

test('a cut text is the longest beginning of whole characters that fits', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 40 }), fc.nat({ max: 60 }), (text, maxBytes) => {
      const characters = Array.from(text)
      let expected = ''
      for (const character of characters) {
        if (Buffer.byteLength(expected + character) > maxBytes) break
        expected += character
      }

      expect(cutText(text, maxBytes)).toBe(expected)
    }),
  )
})
