import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cutMiddle } from '../../src/agent/cut-middle.ts'

describe('a long text without its middle', () => {
  test('is left alone while it is short enough', () => {
    expect(cutMiddle('héllo', 6)).toBe('héllo')
  })

  test('keeps its head and tail, whole lines, and says how much is gone', () => {
    const text = Array.from({ length: 1000 }, (_, n) => `line ${n}`).join('\n')

    const cut = cutMiddle(text, 1000)

    expect(cut).toMatch(/^line 0\nline 1\n/)
    expect(cut).toMatch(/\nline 999$/)
    expect(cut).toMatch(/\n\[… \d+ bytes left out; ask for less, or for a part …\]\n/)
    expect(cut.split('\n').every((line) => /^(?:line \d+|\[….*…\]|)$/.test(line))).toBe(true)
  })

  test('is never much longer than asked for, and never holds half a character', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', 'é', '✓', '😀', '\n'), maxLength: 400 }),
        fc.integer({ min: 20, max: 300 }),
        (text, most) => {
          const cut = cutMiddle(text, most)

          expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(most + 80)
          expect(cut).not.toContain('\uFFFD')
        },
      ),
    )
  })
})
