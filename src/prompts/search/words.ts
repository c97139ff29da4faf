/** A word of a text: what it is found by, and where it stands. */
export interface PlacedWord {
  readonly term: string
  readonly start: number
  readonly end: number
}

/** The words of a text in any script, in order. */
export function wordsOf(text: string): readonly PlacedWord[] {
  const words: PlacedWord[] = []
  for (const { 0: run, index } of text.matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
    if (/^[a-z0-9]+$/i.test(run))
      words.push({ term: singular(run.toLowerCase()), start: index, end: index + run.length })
    else words.push(...foreignWords(run, index))
  }
  return words
}

export function termsOf(text: string): string[] {
  return wordsOf(text).map(({ term }) => term)
}

// Scripts that are written without blanks between words.
const unspaced = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]+/gu

/** Accents do not matter; what has no blanks is cut into pairs of neighbours, which match wherever two texts share a word. */
function foreignWords(run: string, offset: number): readonly PlacedWord[] {
  const words: PlacedWord[] = []
  let done = 0
  for (const { 0: part, index } of run.matchAll(unspaced)) {
    if (index > done) words.push(plainWord(run.slice(done, index), offset + done))
    words.push(...pairsOf(part, offset + index))
    done = index + part.length
  }
  if (done < run.length) words.push(plainWord(run.slice(done), offset + done))
  return words
}

function plainWord(word: string, start: number): PlacedWord {
  // Composed again afterwards: decomposed Hangul would no longer be the letters that people type.
  const bare = word
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036F]/g, '')
    .normalize('NFC')
    .toLowerCase()
  return { term: singular(bare), start, end: start + word.length }
}

function pairsOf(part: string, start: number): readonly PlacedWord[] {
  const letters: PlacedWord[] = []
  let at = start
  for (const letter of part) {
    letters.push({ term: letter.normalize('NFKC'), start: at, end: at + letter.length })
    at += letter.length
  }
  if (letters.length < 2) return letters
  return letters.slice(1).map((second, index) => {
    const first = letters[index] ?? second
    return { term: `${first.term}${second.term}`, start: first.start, end: second.end }
  })
}

/** `stories` → `story`, `boxes` → `box`, `emails` → `email`. */
function singular(word: string): string {
  if (word.length < 4 || !word.endsWith('s') || /(?:ss|us|is)$/.test(word)) return word
  if (word.endsWith('ies')) return word.length > 4 ? `${word.slice(0, -3)}y` : word.slice(0, -1)
  return /(?:x|ch|sh|ss|zz)es$/.test(word) ? word.slice(0, -2) : word.slice(0, -1)
}
