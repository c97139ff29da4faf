/** The first sentence of a description on one line, cut at `longest` characters. */
export function firstSentence(text: string | undefined, longest = 120): string {
  const opening =
    (text ?? '')
      .trim()
      .replace(/^#+\s*/, '')
      .split(endOfOpening)[0] ?? ''
  const line = opening.replace(/\s+/g, ' ').trim()
  const sentence = line.slice(0, sentenceEnd(line))
  const characters = Array.from(sentence)
  return characters.length <= longest
    ? sentence
    : `${characters
        .slice(0, longest - 1)
        .join('')
        .trimEnd()}…`
}

/** A blank line ends the opening, and so does the start of a list, a heading or a docstring section such as `Args:`. */
const endOfOpening = /\n\s*\n|\n\s*(?=[-*•#]\s|\d+[.)]\s|[A-Z]\w*:)/

function sentenceEnd(line: string): number {
  for (const match of line.matchAll(/[.!?](?=\s)|[。！？]/g)) {
    const end = match.index + match[0].length
    if (!/(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|approx|incl|no)\.$/i.test(line.slice(0, end))) return end
  }
  return line.length
}
