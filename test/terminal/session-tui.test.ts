import { CURSOR_MARKER } from '@earendil-works/pi-tui'
import { expect, test } from 'vitest'
import { SessionTui } from '../../src/terminal/session-tui.ts'
import { makeTranscript } from '../../src/terminal/transcript.ts'
import { seenTerminal } from './seen-terminal.ts'

/** Forty numbered lines above an editor, of which some stand below the cursor. */
async function drawn(rows: number, belowCursor: readonly string[]) {
  const seen = seenTerminal(40, rows)
  const transcript = makeTranscript()
  const tui = new SessionTui(seen.terminal, transcript)
  tui.start()
  tui.renderNow()
  transcript.add(...Array.from({ length: 40 }, (_, index) => ({ render: () => [`line ${index}.`] })))
  tui.addChild({ render: () => ['top', `> ${CURSOR_MARKER}`, ...belowCursor], invalidate() {} })
  tui.renderNow()
  await seen.shows('line 39.')
  return {
    lines: () => Array.from(seen.everything().matchAll(/line (\d+)\./g), ([, number]) => Number(number)),
    async resize(to: number): Promise<void> {
      seen.resize(40, to)
      tui.renderNow()
      await seen.shows(belowCursor.at(-1) ?? '>')
    },
    [Symbol.dispose]: () => tui.stop(),
  }
}

const all = Array.from({ length: 40 }, (_, index) => index)

test.each<[number, readonly string[]]>([
  [14, ['bottom']],
  [19, ['bottom']],
  [8, ['menu 1', 'menu 2', 'menu 3', 'bottom']],
  [12, []],
])('a window that shrinks to %d lines loses none and shows none twice', async (rows, belowCursor) => {
  using place = await drawn(20, belowCursor)

  await place.resize(rows)

  expect(place.lines()).toEqual(all)
})

test('a window that shrinks and grows again and again loses nothing', async () => {
  using place = await drawn(20, ['bottom'])

  for (const rows of [14, 20, 9, 30, 12, 20]) await place.resize(rows)

  expect(all.filter((line) => !place.lines().includes(line))).toEqual([])
})
