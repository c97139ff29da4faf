/** The names closest to a mistyped one, best first; empty when nothing is close enough to be meant. */
export function nearest(name: string, candidates: readonly string[], limit = 3): readonly string[] {
  const wanted = normalised(name)
  if (wanted === '') return []
  return [...new Set(candidates)]
    .map((candidate) => ({ candidate, score: score(wanted, candidate) }))
    .filter((scored) => scored.score !== undefined)
    .sort((a, b) => (a.score ?? 0) - (b.score ?? 0) || compare(a.candidate, b.candidate))
    .slice(0, limit)
    .map((scored) => scored.candidate)
}

/** Lower is closer. People leave the server out, so the last part of `server.tool` counts nearly as much as the whole. */
function score(wanted: string, candidate: string): number | undefined {
  const whole = normalised(candidate)
  const last = normalised(candidate.slice(Math.max(...['.', ':', '/'].map((mark) => candidate.lastIndexOf(mark))) + 1))
  const scores = [closeness(wanted, whole), closeness(wanted, last)].filter((value) => value !== undefined)
  return scores.length === 0 ? undefined : Math.min(...scores)
}

function closeness(wanted: string, name: string): number | undefined {
  if (wanted === name) return 0
  const edits = editDistance(wanted, name)
  const allowed = Math.max(1, Math.floor(Math.max(wanted.length, name.length) / 3))
  const byEdits = edits <= allowed ? edits : undefined
  // A part of a name is a good guess, but a name one slip away is a better one.
  const isPart = wanted.length >= 3 && (name.includes(wanted) || (name.length >= 3 && wanted.includes(name)))
  const byPart = isPart ? 1.5 + Math.abs(name.length - wanted.length) / 100 : undefined
  if (byEdits === undefined || byPart === undefined) return byEdits ?? byPart
  return Math.min(byEdits, byPart)
}

function normalised(name: string): string {
  return name.toLowerCase().replace(/[-_\s]/g, '')
}

/** Damerau–Levenshtein: insertions, deletions, substitutions, and swapped neighbours count one each. */
export function editDistance(a: string, b: string): number {
  let beforeLast: readonly number[] = []
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const substitution = cell(last, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const swap = isSwap ? cell(beforeLast, j - 2) + 1 : Number.POSITIVE_INFINITY
      row.push(Math.min(cell(last, j) + 1, cell(row, j - 1) + 1, substitution, swap))
    }
    beforeLast = last
    last = row
  }
  return cell(last, b.length)
}

function cell(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
