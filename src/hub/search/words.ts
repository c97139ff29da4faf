/** One word of a text: a plain one, or one with pieces such as `getUserById` and `base64`. */
export interface Word {
  /** As it was typed, in lower case and without accents. */
  readonly typed: string
  /** What it is looked up by: in the singular. */
  readonly term: string
  /** The terms it is made of; only the term itself for a plain word. */
  readonly pieces: readonly string[]
}

/** The words of a text in any script, in order. Names written in camelCase, snake_case and kebab-case come apart. */
export function wordsOf(text: string): readonly Word[] {
  const runs = withoutAccents(text).match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
  return runs.flatMap((run) => (unspaced.test(run) ? unspacedWords(run) : [wordOf(run)]))
}

/** The terms a text is found by: pieces, and wholes too, so that `github` and `hub` both find GitHub. */
export function termsOf(text: string): string[] {
  return wordsOf(text).flatMap(({ term, pieces }) => (pieces.length > 1 ? [...pieces, term] : [term]))
}

/** Composed again afterwards: decomposed Hangul would no longer be the letters that people type. */
function withoutAccents(text: string): string {
  if (/^[\t-~]*$/.test(text)) return text
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036F]/g, '')
    .normalize('NFC')
}

function wordOf(run: string): Word {
  const typed = run.toLowerCase()
  const term = singular(typed)
  if (/^[a-z]+$/.test(run)) return { typed, term, pieces: [term] }
  const pieces = run.replace(pieceEnds, '$& ').split(' ')
  return { typed, term, pieces: pieces.length > 1 ? pieces.map((piece) => singular(piece.toLowerCase())) : [term] }
}

// Before a capital after a small letter, before the last capital of several if a small letter follows, and around digits.
const pieceEnds = /\p{Ll}(?=\p{Lu})|\p{Lu}(?=\p{Lu}\p{Ll})|\p{L}(?=\p{N})|\p{N}(?=\p{L})/gu

// Scripts that are written without blanks between words.
const scripts = ['Han', 'Hiragana', 'Katakana', 'Thai', 'Lao', 'Khmer', 'Myanmar']
  .map((name) => `\\p{scx=${name}}`)
  .join('')
const unspaced = new RegExp(`(?=\\p{L})[${scripts}]`, 'u')
const unspacedParts = new RegExp(`(?:(?=[\\p{L}\\p{M}])[${scripts}])+|(?:(?!(?=\\p{L})[${scripts}]).)+`, 'gu')

/** Pairs of neighbours: they match wherever two texts share a word, with no dictionary that would cut the two differently. */
function unspacedWords(run: string): readonly Word[] {
  return (run.match(unspacedParts) ?? []).flatMap((part) => {
    if (!unspaced.test(part)) return [wordOf(part)]
    const letters = Array.from(part)
    const pairs = letters.slice(1).map((letter, index) => `${letters[index] ?? ''}${letter}`)
    return (pairs.length === 0 ? letters : pairs).map((pair) => ({ typed: pair, term: pair, pieces: [pair] }))
  })
}

/** `queries` → `query`, `boxes` → `box`, `files` → `file`; verbs lose their `s` by the same rules. */
function singular(word: string): string {
  if (word.length < 4 || !word.endsWith('s') || /(?:ss|us|is)$/.test(word)) return word
  if (word.endsWith('ies')) return word.length > 4 ? `${word.slice(0, -3)}y` : word.slice(0, -1)
  return /(?:x|ch|sh|ss|zz)es$/.test(word) ? word.slice(0, -2) : word.slice(0, -1)
}
