import { CapstanError } from '../../errors.ts'

export interface CsvRow {
  /** Where it begins, counted from 1. */
  readonly line: number
  readonly cells: readonly string[]
}

/** The rows of a CSV text (RFC 4180): quotes doubled inside quotes, line ends kept there. Empty lines are no rows. */
export function readCsv(text: string): readonly CsvRow[] {
  const rows: CsvRow[] = []
  let [at, line, start] = [text.startsWith('\uFEFF') ? 1 : 0, 1, 1]
  let cells: string[] = []
  while (at < text.length || cells.length > 0) {
    const cell = readCell(text, at, line)
    cells.push(cell.value)
    line += countLines(text.slice(at, cell.end))
    at = cell.end + 1
    if (text[cell.end] === ',') continue
    if (cells.length > 1 || cells[0] !== '') rows.push({ line: start, cells })
    cells = []
    start = line += text[cell.end] === '\n' ? 1 : 0
  }
  return rows
}

export function writeCsv(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.map((text) => `"${text.replaceAll('"', '""')}"`).join(',')}\n`).join('')
}

/** The cell that begins here, and the place of the comma or line end behind it. */
function readCell(text: string, from: number, line: number): { readonly value: string; readonly end: number } {
  if (text[from] !== '"') {
    const end = endOfCell(text, from)
    return { value: text.slice(from, end).replace(/\r$/, ''), end }
  }
  let close = text.indexOf('"', from + 1)
  while (close !== -1 && text[close + 1] === '"') close = text.indexOf('"', close + 2)
  if (close === -1) throw unclosed(line)
  const value = text.slice(from + 1, close).replaceAll('""', '"')
  const end = endOfCell(text, close + 1)
  // What stands between the quote and the comma belongs to the cell, as spreadsheets read it.
  return { value: value + text.slice(close + 1, end).trimEnd(), end }
}

function endOfCell(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === ',' || text[at] === '\n') return at
  }
  return text.length
}

function countLines(text: string): number {
  return text.split('\n').length - 1
}

function unclosed(line: number): CapstanError {
  return new CapstanError(
    'prompt_invalid',
    `The CSV text cannot be read: a quote that opens in line ${line} never closes.`,
  )
}
