export interface DiffLine {
  /** `skipped` stands for lines that are the same on both sides, and says how many. */
  readonly kind: 'same' | 'removed' | 'added' | 'skipped'
  readonly text: string
}

/** How many equal lines are shown around a change. */
const context = 3
/** Beyond that many differing lines, what was there is shown whole, then what is there now: nobody reads along any more. */
const maxEdits = 1000

/** The lines that differ, with a few around them; none where nothing does. */
export function diffLines(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1
  let end = 0
  const most = Math.min(before.length, after.length) - start
  while (end < most && before.at(-1 - end) === after.at(-1 - end)) end += 1

  const middle = edits(before.slice(start, before.length - end), after.slice(start, after.length - end))
  if (middle.length === 0) return []
  return shortened([...before.slice(0, start).map(same), ...middle, ...before.slice(before.length - end).map(same)])
}

/** The fewest removals and additions that lead from one to the other (Myers, An O(ND) Difference Algorithm, 1986). */
function edits(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  const most = Math.min(before.length + after.length, maxEdits)
  /** How far each diagonal reaches after so many edits; the diagonal is the position before minus that after. */
  const reach = new Map<number, number>([[1, 0]])
  const history: ReadonlyMap<number, number>[] = []
  for (let count = 0; count <= most; count += 1) {
    history.push(new Map(reach))
    for (let diagonal = -count; diagonal <= count; diagonal += 2) {
      let x = firstStep(reach, diagonal, count)
      while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal]) x += 1
      reach.set(diagonal, x)
      if (x >= before.length && x - diagonal >= after.length) return walkBack(before, after, history)
    }
  }
  return [...before.map(removed), ...after.map(added)]
}

function firstStep(reach: ReadonlyMap<number, number>, diagonal: number, count: number): number {
  const [down, right] = [reach.get(diagonal + 1) ?? 0, (reach.get(diagonal - 1) ?? 0) + 1]
  return goesDown(reach, diagonal, count) ? down : right
}

function goesDown(reach: ReadonlyMap<number, number>, diagonal: number, count: number): boolean {
  return diagonal === -count || (diagonal !== count && (reach.get(diagonal - 1) ?? 0) < (reach.get(diagonal + 1) ?? 0))
}

function walkBack(
  before: readonly string[],
  after: readonly string[],
  history: readonly ReadonlyMap<number, number>[],
): readonly DiffLine[] {
  const lines: DiffLine[] = []
  let [x, y] = [before.length, after.length]
  for (let count = history.length - 1; count >= 0; count -= 1) {
    const reach = history[count] ?? new Map<number, number>()
    const diagonal = x - y
    const isDown = goesDown(reach, diagonal, count)
    const fromDiagonal = isDown ? diagonal + 1 : diagonal - 1
    const fromX = count === 0 ? 0 : (reach.get(fromDiagonal) ?? 0)
    const fromY = count === 0 ? 0 : fromX - fromDiagonal
    while (x > fromX && y > fromY) {
      lines.push(same(before[x - 1] ?? ''))
      x -= 1
      y -= 1
    }
    if (count > 0) lines.push(isDown ? added(after[y - 1] ?? '') : removed(before[x - 1] ?? ''))
    ;[x, y] = [fromX, fromY]
  }
  return lines.toReversed()
}

function shortened(lines: readonly DiffLine[]): readonly DiffLine[] {
  const isNear = lines.map(() => false)
  lines.forEach(({ kind }, index) => {
    if (kind !== 'same') isNear.fill(true, Math.max(0, index - context), index + context + 1)
  })
  const shown: DiffLine[] = []
  let skipped = 0
  const closeGap = () => {
    if (skipped > 0) shown.push({ kind: 'skipped', text: skipped === 1 ? '1 line' : `${skipped} lines` })
    skipped = 0
  }
  lines.forEach((line, index) => {
    if (isNear[index] !== true) skipped += 1
    else {
      closeGap()
      shown.push(line)
    }
  })
  closeGap()
  return shown
}

function same(text: string): DiffLine {
  return { kind: 'same', text }
}

function removed(text: string): DiffLine {
  return { kind: 'removed', text }
}

function added(text: string): DiffLine {
  return { kind: 'added', text }
}
