import { truncateToWidth } from '@earendil-works/pi-tui'
import { plainLine } from '../policy/plain-text.ts'
import type { Palette } from './paint.ts'

interface QueueSpace {
  readonly isHeld: boolean
  readonly width: number
  readonly paint: Palette
}

/** What waits for its turn, above the editor. */
export function queueLines(
  entries: readonly { readonly text: string }[],
  { isHeld, width, paint }: QueueSpace,
): readonly string[] {
  if (entries.length === 0) return []
  const shown = entries.slice(-mostShown)
  const hidden = entries.length - shown.length
  const advice = isHeld ? 'Held: Enter goes on · Up edits the last' : 'Up edits the last'
  return [
    ...(hidden === 0 ? [] : [`  and ${hidden} before`]),
    ...shown.map(({ text }, index) => `${hidden + index + 1}. ${plainLine(text)}`),
    advice,
  ].map((line) => paint.faint(truncateToWidth(`  ${line}`, width, '…')))
}

const mostShown = 5
