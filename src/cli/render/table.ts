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

function stackedLines(row: readonly Cell[], indent: string, { columns }: TableOptions): string {
  return row
    .filter((cell) => cell.text !== '')
    .flatMap((cell, index) => {
      const own = indent + (index === 0 ? '' : '  ')
      return wrap(cell.text, columns - own.length).map((line) => `${own}${paint(cell, line)}\n`)
    })
    .join('')
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
