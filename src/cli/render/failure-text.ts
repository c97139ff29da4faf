import { plainText } from '../../policy/plain-text.ts'
import { wrap } from './width.ts'

/** A failure as it is printed: what is wrong, and below it what to do. */
export function failureText(
  { message, next }: { readonly message: string; readonly next?: string | undefined },
  columns: number,
): string {
  // A path or an address that is cut cannot be copied, and neither can a command that is broken into lines.
  const lines = wrap(plainText(`capstan: ${message}`), columns, 'keep')
  const advice = next === undefined ? [] : adviceLines(plainText(next), columns)
  return [...lines, ...advice, ''].join('\n')
}

function adviceLines(next: string, columns: number): readonly string[] {
  const lines = next.includes('capstan ') ? [next] : wrap(next, columns - mark.length, 'keep')
  return lines.map((line, at) => `${at === 0 ? mark : ' '.repeat(mark.length)}${line}`)
}

const mark = '  → '
