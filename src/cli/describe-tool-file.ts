import { diff } from 'node:util'
import { revealedText } from '../policy/plain-text.ts'

/** The code of a tool as a person is asked to approve it, one line each; the end of a long one is only counted. */
export function describeCode(code: string, file: string): readonly string[] {
  return shortened(
    linesOf(code).map((line) => `| ${line}`),
    file,
  )
}

/** The lines that are not what they were: `-` was there before, `+` is there now, with the number of the line. */
export function describeCodeChange(before: string, after: string, file: string): readonly string[] {
  const [old, fresh] = [linesOf(before), linesOf(after)]
  const start = firstDifference(old, fresh)
  const end = Math.min(
    firstDifference(old.toReversed(), fresh.toReversed()),
    Math.min(old.length, fresh.length) - start,
  )
  const [gone, come] = [old.slice(start, old.length - end), fresh.slice(start, fresh.length - end)]
  let [oldLine, newLine] = [start, start]
  const changes = steps(gone, come).flatMap(([kind, line]) => {
    if (kind !== is) oldLine++
    if (kind !== was) newLine++
    if (kind === was) return [`- ${oldLine}: ${line}`]
    return kind === is ? [`+ ${newLine}: ${line}`] : []
  })
  return shortened(changes, file)
}

const [was, is] = [1, -1]
/** Finding the shortest difference takes time and room by the square of what differs. */
const mostCompared = 500

function steps(gone: readonly string[], come: readonly string[]): readonly (readonly [kind: number, line: string])[] {
  if (gone.length <= mostCompared && come.length <= mostCompared) return diff(gone, come)
  return [...gone.map((line) => [was, line] as const), ...come.map((line) => [is, line] as const)]
}

function firstDifference(one: readonly string[], other: readonly string[]): number {
  const index = one.findIndex((line, at) => line !== other[at])
  return index === -1 ? one.length : index
}

const mostShown = 60

function shortened(lines: readonly string[], file: string): readonly string[] {
  const shown = lines.slice(0, mostShown).map(revealedText)
  const more = lines.length - shown.length
  return more === 0 ? shown : [...shown, `… and ${more} more lines: read ${revealedText(file)} before you approve it`]
}

/** Tabs are no hidden characters, but they would be written out as such. */
function linesOf(code: string): readonly string[] {
  const lines = code.replaceAll('\t', '  ').split(/\r?\n/)
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}
