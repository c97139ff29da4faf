import { truncateToWidth } from '@earendil-works/pi-tui'
import { plainLine } from '../../policy/plain-text.ts'
import type { Palette } from '../paint.ts'
import type { Block } from '../transcript.ts'

/** What a model thinks, folded to its last words. */
export interface ThinkingBlock extends Block {
  readonly push: (text: string) => void
}

export function thinkingBlock(paint: Palette): ThinkingBlock {
  let text = ''
  return {
    push(more) {
      text += more
    },
    render(width) {
      const lines = text.trim().split('\n')
      return ['', paint.faint(truncateToWidth(`∴ ${plainLine(lines.at(-1) ?? '')}`, width, '…'))]
    },
  }
}
