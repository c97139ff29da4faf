import { diffLines } from '../../prompts/diff-lines.ts'
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

function linesBetween(before: string | undefined, after: string | undefined) {
  return diffLines(linesOf(before), linesOf(after))
}

function linesOf(text: string | undefined): readonly string[] {
  return text === undefined || text === ''
    ? []
    : maskText(text)
        .replace(/\r?\n$/, '')
        .split(/\r?\n/)
}
