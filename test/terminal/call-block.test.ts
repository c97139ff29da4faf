import { expect, test } from 'vitest'
import { callBlock, durationText } from '../../src/terminal/blocks/call-block.ts'
import { paletteFor } from '../../src/terminal/paint.ts'

test.each([
  [0, '0.0 s'],
  [9_940, '9.9 s'],
  [9_960, '10 s'],
  [59_400, '59 s'],
  [59_960, '1 min 0 s'],
  [119_700, '2 min 0 s'],
])('%d ms are told as %s', (ms, text) => {
  expect(durationText(ms)).toBe(text)
})

test('a call that never ran is told without a time', () => {
  const state = { kind: 'ended', end: 'refused', parts: [], ms: 0 } as const
  const block = callBlock({ callId: 'c', label: 'a.b', state }, { paint: paletteFor({ NO_COLOR: '1' }), now: () => 0 })

  expect(block.render(40)).toEqual(['', '✗ a.b  refused'])
})
