/** How many columns a terminal gives a text on one line. */
export function displayWidth(text: string): number {
  if (isPlain(text)) return text.length
  let width = 0
  for (const { segment } of graphemes(text)) width += graphemeWidth(segment)
  return width
}

/** The text cut to a width, with … where something is missing. */
export function truncate(text: string, width: number): string {
  if (displayWidth(text) <= width) return text
  if (width < 1) return ''
  return `${head(text, width - 1).trimEnd()}…`
}

export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)))
}

export function padStart(text: string, width: number): string {
  return ' '.repeat(Math.max(0, width - displayWidth(text))) + text
}

/** The lines of a text, broken between words to fit a width; a word that is too long for a line of its own is cut, or kept whole. */
export function wrap(text: string, width: number, longWords: 'cut' | 'keep' = 'cut'): readonly string[] {
  if (width === Number.POSITIVE_INFINITY) return text.split('\n')
  return text.split('\n').flatMap((line) => wrapLine(line, Math.max(1, width), longWords))
}

function wrapLine(line: string, width: number, longWords: 'cut' | 'keep'): readonly string[] {
  if (displayWidth(line) <= width) return [line]
  const [, blanks = '', marker = ''] = /^(\s*)((?:[-*•]|\d+[.)])\s+)?/u.exec(line) ?? []
  const indent = head(blanks, Math.floor(width / 2))
  // What belongs to a list item stays to the right of its mark.
  const hang = head(indent + ' '.repeat(marker.length), Math.floor(width / 2))
  const lines: string[] = []
  let current = indent
  for (const word of line
    .trim()
    .split(/\s+/u)
    .flatMap((long) => (longWords === 'keep' ? [long] : cut(long, width - hang.length)))) {
    const joined = current.trim() === '' ? current + word : `${current} ${word}`
    if (displayWidth(joined) <= width) {
      current = joined
      continue
    }
    if (current.trim() !== '') lines.push(current)
    current = hang + word
  }
  return [...lines, current]
}

function cut(word: string, width: number): readonly string[] {
  const parts: string[] = []
  let rest = word
  while (displayWidth(rest) > width) {
    // At least one character, or a wide one in a single column would never get done.
    const part = head(rest, width) || firstGrapheme(rest)
    parts.push(part)
    rest = rest.slice(part.length)
  }
  return rest === '' ? parts : [...parts, rest]
}

function head(text: string, width: number): string {
  if (isPlain(text)) return text.slice(0, Math.max(0, width))
  let end = 0
  let used = 0
  for (const { segment, index } of graphemes(text)) {
    used += graphemeWidth(segment)
    if (used > width) break
    end = index + segment.length
  }
  return text.slice(0, end)
}

function firstGrapheme(text: string): string {
  for (const { segment } of graphemes(text)) return segment
  return text
}

/** One column each, and none joins with its neighbour: ASCII, Latin letters, and the dashes, quotes and dots of running text. */
function isPlain(text: string): boolean {
  return /^[ -~\u00A1-\u00AC\u00AE-\u02FF\u2010-\u2015\u2018-\u201F\u2022\u2026]*$/.test(text)
}

// Made only for text that needs it: loading its tables costs milliseconds that plain text never pays.
function graphemes(text: string): Iterable<{ readonly segment: string; readonly index: number }> {
  return new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(text)
}

function graphemeWidth(grapheme: string): number {
  if (/^[\p{Cc}\p{Mn}\p{Me}\p{Cf}]+$/u.test(grapheme)) return 0
  if (/\p{Emoji_Presentation}|\p{Emoji}\uFE0F/u.test(grapheme)) return 2
  return isWide(grapheme.codePointAt(0) ?? 0) ? 2 : 1
}

/** The ranges that Unicode's East Asian Width calls wide or fullwidth, besides emoji. */
function isWide(code: number): boolean {
  return wideRanges.some(([first, last]) => code >= first && code <= last)
}

const wideRanges: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa000, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x17000, 0x18cff],
  [0x1b000, 0x1b2ff],
  [0x20000, 0x3fffd],
]
