import { truncateToWidth, visibleWidth } from '@earendil-works/pi-tui'
import type { Block as Printed } from '../../commands/outcome.ts'
import { unreachable } from '../../errors.ts'
import { plainLine, plainText } from '../../policy/plain-text.ts'
import type { Markdown } from '../markdown.ts'
import type { Palette } from '../paint.ts'
import type { Block } from '../transcript.ts'
import { frozen, wrapped } from './drawn.ts'
import { contentText } from './said.ts'

/** What a command shows. */
export function printedBlock(printed: Printed, paint: Palette, markdown: Markdown): Block {
  switch (printed.kind) {
    case 'text':
      return frozen((width) => wrapped(plainText(printed.text), width))
    case 'markdown':
      return { render: (width) => markdown.draw(printed.text, width) }
    case 'content':
      return frozen((width) => wrapped(contentText(printed.part), width))
    case 'notice':
      return noticeBlock(printed, paint)
    case 'table':
      return frozen((width) => tableLines(printed, width, paint))
    default:
      return unreachable(printed)
  }
}

interface News {
  readonly level: 'info' | 'warning' | 'error'
  readonly text: string
  readonly next?: string | undefined
}

/** News, with what to do next on a line of its own. */
export function noticeBlock({ level, text, next }: News, paint: Palette): Block {
  const [mark, color] = { info: ['·', paint.faint], warning: ['!', paint.warning], error: ['✗', paint.bad] }[level] as [
    string,
    (text: string) => string,
  ]
  return frozen((width) => [
    ...wrapped(plainText(text), width, `${mark} `).map(color),
    ...(next === undefined ? [] : wrapped(plainText(next), width, '  ').map(paint.faint)),
  ])
}

/** Columns side by side; the last takes what is left of the width, and a long cell in it goes on below. */
function tableLines(
  { columns, rows }: Extract<Printed, { kind: 'table' }>,
  width: number,
  paint: Palette,
): readonly string[] {
  const cells = rows.map((row) => columns.map((_, index) => plainLine(row[index] ?? '')))
  const widths = columns.map((name, index) =>
    Math.max(visibleWidth(name), ...cells.map((row) => visibleWidth(row[index] ?? ''))),
  )
  // No column but the last takes more than its share, so that there is always room for what comes after it.
  const share = Math.max(6, Math.floor(width / 2) - 2)
  const fixed = widths.slice(0, -1).map((wanted) => Math.min(wanted, share))
  const line = (row: readonly string[]): readonly string[] => {
    const head = fixed.map((wide, index) => padded(truncateToWidth(row[index] ?? '', wide, '…'), wide)).join('  ')
    const last = row.at(-1) ?? ''
    if (fixed.length === 0) return wrapped(last, width)
    return last === '' ? wrapped(head.trimEnd(), width) : wrapped(last, width, `${head}  `)
  }
  return [...line(columns).map(paint.faint), ...cells.flatMap(line)].map((text) => text.trimEnd())
}

function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - visibleWidth(text)))
}
