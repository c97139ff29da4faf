import { diffLines, type DiffLine } from '../../prompts/diff-lines.ts'
import { diffText } from '../../prompts/diff-prompts.ts'
import type { Io } from '../command.ts'
import { paintedDiff } from '../commands/library/painted-diff.ts'
import { maskText } from '../mask-text.ts'

/** What changes in a config file, line by line, without its secrets. Undefined stands for no file. */
export function fileDifference(before: string | undefined, after: string | undefined, io: Io): string {
  return paintedDiff(linesBetween(before, after), io)
}

/** The same without colours. */
export function plainDifference(before: string | undefined, after: string | undefined): string {
  return diffText(linesBetween(before, after))
}

function linesBetween(before: string | undefined, after: string | undefined): readonly DiffLine[] {
  const [old, now] = [linesOf(before), linesOf(after)]
  const firstDifference = old.findIndex((line, at) => line !== now[at])
  const start = firstDifference === -1 ? Math.min(old.length, now.length) : firstDifference
  const most = Math.min(old.length, now.length) - start
  let end = 0
  while (end < most && old.at(-1 - end) === now.at(-1 - end)) end += 1
  return diffLines(maskedAround(old, start, end), maskedAround(now, start, end))
}

/** More than is shown around a change: the name of a secret may stand in the line before it. */
const around = 20

/** Some clients keep megabytes of history in the file, and none of that is shown. */
function maskedAround(lines: readonly string[], start: number, end: number): readonly string[] {
  const [from, to] = [Math.max(0, start - around), Math.min(lines.length, lines.length - end + around)]
  const masked = maskText(lines.slice(from, to).join('\n')).split('\n')
  return [...lines.slice(0, from), ...masked, ...lines.slice(to)]
}

function linesOf(text: string | undefined): readonly string[] {
  return text === undefined || text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/)
}
