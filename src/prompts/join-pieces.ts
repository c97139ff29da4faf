/** A part of a rendered text. `gone` is where an optional argument had no value. */
export type Piece =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'value'; readonly text: string }
  | { readonly kind: 'gone' }

/**
 * Joins the pieces. What is gone takes with it the space, or the line, that stood there only for it; values are never touched.
 */
export function joinPieces(pieces: readonly Piece[]): string {
  let out = ''
  // Everything from here on was written by the author of the prompt, so blanks may be taken away.
  let literalFrom = 0
  let skip = 0
  for (const [index, piece] of pieces.entries()) {
    if (piece.kind === 'gone') {
      const next = pieces[index + 1]
      const rest = next?.kind === 'literal' ? next.text : ''
      const seam = closeSeam({ before: out, literalFrom, rest, isLast: index === pieces.length - 1 })
      out = out.slice(0, seam.keep)
      skip = seam.skip
      continue
    }
    out += piece.text.slice(skip)
    skip = 0
    if (piece.kind === 'value') literalFrom = out.length
  }
  return out
}

interface Seam {
  readonly before: string
  readonly literalFrom: number
  readonly rest: string
  readonly isLast: boolean
}

/** How much to keep before the gap, and how much to skip after it. */
function closeSeam({ before, literalFrom, rest, isLast }: Seam): { readonly keep: number; readonly skip: number } {
  let textEnd = before.length
  while (textEnd > literalFrom && isBlank(before[textEnd - 1])) textEnd -= 1
  const isLineStart = textEnd === 0 || (textEnd > literalFrom && before[textEnd - 1] === '\n')

  let blanks = 0
  while (isBlank(rest[blanks])) blanks += 1
  const newline = rest.startsWith('\r\n', blanks) ? 2 : rest[blanks] === '\n' ? 1 : 0
  const isLineEnd = newline > 0 || (isLast && blanks === rest.length)

  if (isLineStart && isLineEnd) {
    if (newline > 0) return { keep: textEnd, skip: blanks + newline }
    return { keep: Math.max(literalFrom, textEnd - 1), skip: blanks }
  }
  const hasBlankBefore = textEnd < before.length
  if (hasBlankBefore && (isLineEnd || /^[.,;:!?)\]]/.test(rest))) return { keep: textEnd, skip: 0 }
  return { keep: before.length, skip: (hasBlankBefore || isLineStart) && blanks > 0 ? 1 : 0 }
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t'
}
