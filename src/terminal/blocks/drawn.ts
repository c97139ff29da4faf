import { visibleWidth, wrapTextWithAnsi } from '@earendil-works/pi-tui'
import type { Block } from '../transcript.ts'

/** A block that never changes: it is drawn once for each width. */
export function frozen(draw: (width: number) => readonly string[]): Block {
  let known: { readonly width: number; readonly lines: readonly string[] } | undefined
  return {
    render(width) {
      if (known?.width !== width) known = { width, lines: draw(width) }
      return known.lines
    },
  }
}

/** Lines of a text that fit, each behind the same mark; later ones stand under the first. */
export function wrapped(text: string, width: number, mark = ''): readonly string[] {
  const indent = visibleWidth(mark)
  // A mark that leaves too little room stands on lines of its own.
  if (indent > 2 && indent > width / 2 && width - indent < leastRoom) {
    return [...wrapped(mark.trim(), width), ...wrapped(text, width, '  ')]
  }
  const room = Math.max(1, width - indent)
  return shortened(text)
    .replaceAll('\t', '    ')
    .split('\n')
    .flatMap((line) => (line === '' ? [''] : wrapTextWithAnsi(line, room)))
    .map((line, index) => (index === 0 ? mark : ' '.repeat(indent)) + line)
}

const leastRoom = 24

/** Breaking a megabyte into lines takes a second, and nobody reads it here. */
function shortened(text: string): string {
  if (text.length <= mostShown) return text
  return `${text.slice(0, mostShown)}\n… ${text.length - mostShown} more characters are not shown.`
}

const mostShown = 100_000
