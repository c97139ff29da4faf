import { synonymsOf } from './synonyms.ts'
import { wordsOf, type Word } from './words.ts'

/** One term to look up, for the word that asks for it. */
export interface QueryTerm {
  readonly term: string
  /** The word of the query that it stands for; several terms may stand for one. */
  readonly word: string
  readonly weight: number
  readonly prefix: boolean
  /** How many letters may differ. */
  readonly edits: number
}

type Vocabulary = ReadonlySet<string>

/** What to look up for a query, by term and in the order of its words, given the terms that the index knows. */
export function readQuery(query: string, vocabulary: Vocabulary): ReadonlyMap<string, QueryTerm> {
  const words = wordsOf(query.slice(0, maxQuery))
  const telling = words.filter(({ typed }) => !fillers.has(typed))
  const own = (telling.length > 0 ? telling : words).flatMap((word) => ownTerms(word, vocabulary))
  const typed = new Set(own.map(({ term }) => term))
  const others = own.flatMap((term) => otherTerms(term, vocabulary)).filter(({ term }) => !typed.has(term))
  return new Map([...own, ...others].map((term) => [term.term, term]))
}

const maxQuery = 500

/** Words that questions are made of and that tell no tool from another. */
const fillers: ReadonlySet<string> = new Set(
  `a about all am an and any are as at be by can could did do does for from had has have how i if in into is it its
  let me need of on or our out please should so some something that the their them there these they this those to us
  want was we were what when where which who why will with would you your`.split(/\s+/),
)

/** `getUserById` is looked up as a whole where tools use it as a word, and by its pieces where they do not. */
function ownTerms({ typed, term, pieces }: Word, vocabulary: Vocabulary): readonly QueryTerm[] {
  return (isUnderstood(term, vocabulary) ? [term] : pieces).map((part) => ({
    term: part,
    word: typed,
    weight: 1,
    prefix: part.length >= shortestPrefix,
    // A word that the tools use is spelt as it is meant.
    edits: isUnderstood(part, vocabulary) ? 0 : allowedEdits(part),
  }))
}

function otherTerms({ term, word }: QueryTerm, vocabulary: Vocabulary): readonly QueryTerm[] {
  return alternatives(term, vocabulary).map((other) => ({
    term: other,
    word,
    weight: alternativeWeight,
    prefix: false,
    edits: 0,
  }))
}

const shortestPrefix = 3
const alternativeWeight = 0.6

function isUnderstood(term: string, vocabulary: Vocabulary): boolean {
  return vocabulary.has(term) || alternatives(term, vocabulary).length > 0
}

function alternatives(term: string, vocabulary: Vocabulary): readonly string[] {
  const forms = baseForms(term)
  return [...forms, ...[term, ...forms].flatMap(synonymsOf)].filter((other) => vocabulary.has(other))
}

/** What `creating`, `stopped` and `merged` may be forms of. */
function baseForms(word: string): readonly string[] {
  const stem = /^(.{3,})(?:ing|ed)$/.exec(word)?.[1]
  if (stem === undefined) return []
  return [stem, `${stem}e`, ...(/([^aeiou])\1$/.test(stem) ? [stem.slice(0, -1)] : [])]
}

/** Swapped neighbours, the commonest slip of all, count as two. */
function allowedEdits(term: string): number {
  if (term.length < 4) return 0
  return term.length < 6 ? 1 : 2
}
