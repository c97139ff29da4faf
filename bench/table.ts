import type { Comparison } from './measure.ts'

/** One line of the result: our figure beside another one, and what we aim at. */
export interface Row extends Comparison {
  readonly work: string
  readonly floor: string
  readonly unit: 'ms' | 'MB' | 'tokens'
  /** The ratio we aim at, or none where the number is only of interest. */
  readonly target?: number
}

/** The rows as a Markdown table. */
export function renderTable(rows: readonly Row[]): string {
  const head = ['work', 'beside', 'its figure', 'ours', 'ratio', 'middle half', 'target', '']
  const lines = [head, head.map(() => '---'), ...rows.map(cells)]
  return lines.map((line) => `| ${line.join(' | ')} |`).join('\n')
}

function cells(row: Row): readonly string[] {
  const show = (value: number): string => {
    const isWhole = value >= 100 || row.unit === 'tokens'
    return `${isWhole ? value.toFixed(0) : value.toPrecision(3)} ${row.unit}`
  }
  const spread = row.spread.map((ratio) => ratio.toFixed(2)).join('–')
  const target = row.target === undefined ? '' : `≤ ${row.target}`
  return [
    row.work,
    row.floor,
    show(row.floorValue),
    show(row.oursValue),
    row.ratio.toFixed(2),
    spread,
    target,
    verdict(row),
  ]
}

// Where the middle half of the rounds lies on both sides of the target, the machine was too busy to tell.
function verdict({ ratio, spread, target }: Row): string {
  if (target === undefined) return ''
  const isUnsure = spread[0] <= target && spread[1] > target
  return `${ratio <= target ? 'ok' : 'over'}${isUnsure ? ' (unsure)' : ''}`
}
