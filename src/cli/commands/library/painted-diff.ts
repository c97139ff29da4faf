import type { DiffLine } from '../../../prompts/diff-lines.ts'
import { diffText } from '../../../prompts/diff-prompts.ts'
import type { Io } from '../../command.ts'
import { plainText } from '../../../policy/plain-text.ts'
import { styleFor } from '../../render/style.ts'

/** A difference with its signs, in colours where there are any. */
export function paintedDiff(lines: readonly DiffLine[], io: Io): string {
  const style = styleFor(io)
  const paints = { same: (text: string) => text, removed: style.bad, added: style.good, skipped: style.faint }
  return lines.map((line) => `${paints[line.kind](plainText(diffText([line])))}\n`).join('')
}
