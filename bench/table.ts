/** One line of the result: our time against a floor, and what we aim at. */
export interface Row {
  readonly work: string
  readonly floor: string
  readonly floorValue: number
  readonly oursValue: number
  readonly unit: 'ms' | 'MB'
  /** The ratio we aim at, or none where the number is only of interest. */
  readonly target?: number
}

/** The rows as a Markdown table. */
export function renderTable(rows: readonly Row[]): string {
  const head = ['work', 'floor', 'floor', 'ours', 'ratio', 'target', '']
  const lines = [head, head.map(() => '---'), ...rows.map(cells)]
  return lines.map((line) => `| ${line.join(' | ')} |`).join('\n')
}

function cells(row: Row): readonly string[] {
  const ratio = row.oursValue / row.floorValue
  const verdict = row.target === undefined ? '' : ratio <= row.target ? 'ok' : 'over'
  const show = (value: number): string => `${value.toPrecision(value < 100 ? 3 : 4)} ${row.unit}`
  const target = row.target === undefined ? '' : `≤ ${row.target}`
  return [row.work, row.floor, show(row.floorValue), show(row.oursValue), ratio.toFixed(2), target, verdict]
}
