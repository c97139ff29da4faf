import { displayWidth, wrap } from './width.ts'

/** A cell, with the look it gets after it has been measured. */
export interface Cell {
  readonly text: string
  readonly paint?: (text: string) => string
}

export interface TableOptions {
  readonly columns: number
  readonly indent?: number
}

const gap = 2
const leastForLast = 18

/** Rows under each other. The last column takes what is left and wraps; where too little is left, rows are stacked. */
export function renderTable(rows: readonly (readonly (Cell | string)[])[], options: TableOptions): string {
  const cells = rows.map((row) => row.map(asCell))
  const widths = columnWidths(cells)
  const indent = ' '.repeat(options.indent ?? 0)
  const fixed = widths.slice(0, -1).reduce((sum, width) => sum + width + gap, indent.length)
  const left = options.columns - fixed
  const lastWidth = widths.at(-1) ?? 0
  const fits = left >= Math.min(lastWidth, leastForLast)
  return cells
    .map((row) => (fits ? rowLines(row, widths, { indent, left }) : stackedLines(row, indent, options)))
    .join('')
}

function rowLines(row: readonly Cell[], widths: readonly number[], at: { indent: string; left: number }): string {
  const last = row.at(-1) ?? asCell('')
  const before = row.slice(0, -1).map((cell, index) => {
    const padding = ' '.repeat((widths[index] ?? 0) - displayWidth(cell.text) + gap)
    return paint(cell, cell.text) + padding
  })
  const hang = ' '.repeat(widths.slice(0, -1).reduce((sum, width) => sum + width + gap, 0))
  return wrap(last.text, at.left)
    .map((line, index) => `${at.indent}${index === 0 ? before.join('') : hang}${paint(last, line)}`.trimEnd() + '\n')
    .join('')
}

/** The first cell on a line of its own, the short ones between beside each other if they fit, the last below. */
function stackedLines(row: readonly Cell[], indent: string, { columns }: TableOptions): string {
  const [first, ...rest] = row.filter((cell) => cell.text !== '')
  if (first === undefined) return ''
  const between = rest.slice(0, -1)
  const inner = `${indent}  `
  const fits = displayWidth(inner + between.map((cell) => cell.text).join('  ')) <= columns
  const lines = (cell: Cell, before: string): readonly string[] =>
    wrap(cell.text, columns - before.length).map((line) => before + paint(cell, line))
  return [
    ...lines(first, indent),
    ...(fits && between.length > 0
      ? [inner + between.map((cell) => paint(cell, cell.text)).join('  ')]
      : between.flatMap((cell) => lines(cell, inner))),
    ...rest.slice(-1).flatMap((cell) => lines(cell, inner)),
    '',
  ].join('\n')
}

function columnWidths(rows: readonly (readonly Cell[])[]): readonly number[] {
  const size = Math.max(0, ...rows.map((row) => row.length))
  return Array.from({ length: size }, (_, index) =>
    Math.max(0, ...rows.map((row) => displayWidth(row[index]?.text ?? ''))),
  )
}

function asCell(cell: Cell | string): Cell {
  return typeof cell === 'string' ? { text: cell } : cell
}

function paint(cell: Cell, text: string): string {
  return text === '' || cell.paint === undefined ? text : cell.paint(text)
}

/** A paragraph fitted to the columns, every line indented. */
export function paragraph(text: string, { columns, indent = 0 }: TableOptions): string {
  const before = ' '.repeat(indent)
  return wrap(text, columns - indent)
    .map((line) => `${before}${line}`.trimEnd() + '\n')
    .join('')
}
