import { searchFields, type SearchField } from './prompt-text.ts'
import { termsOf } from './words.ts'

/** One word of a query and how to look for it. */
export interface QueryTerm {
  readonly term: string
  readonly prefix: boolean
  /** How many letters may differ. */
  readonly edits: number
  readonly fields: readonly SearchField[]
}

export interface Vocabulary {
  /** In how many prompts' content a term stands; absent when no prompt uses it anywhere. */
  readonly contentCounts: ReadonlyMap<string, number>
  readonly prompts: number
}

/** What to look up for a query, each term once. */
export function readQuery(query: string, vocabulary: Vocabulary): readonly QueryTerm[] {
  const terms = [...new Set(termsOf(query.slice(0, maxQuery)))].slice(0, maxTerms)
  const telling = terms.filter((term) => !fillers.has(term))
  return (telling.length > 0 ? telling : terms).map((term) => queryTerm(term, vocabulary))
}

const maxQuery = 500
const maxTerms = 32

function queryTerm(term: string, { contentCounts, prompts }: Vocabulary): QueryTerm {
  const count = contentCounts.get(term)
  // A word that is in the content of every tenth prompt tells nothing by being there, and looking at all of them takes time.
  const isCommon = (count ?? 0) > Math.max(100, prompts / 10)
  return {
    term,
    prefix: term.length >= shortestPrefix,
    // A word that prompts use is spelt as it is meant.
    edits: count === undefined ? allowedEdits(term) : 0,
    fields: isCommon ? withoutContent : searchFields,
  }
}

const shortestPrefix = 3
const withoutContent = searchFields.filter((field) => field !== 'content')

/** Swapped neighbours, the commonest slip of all, count as two. */
function allowedEdits(term: string): number {
  if (term.length < 4) return 0
  return term.length < 6 ? 1 : 2
}

/** Words that questions are made of and that tell no prompt from another. */
const fillers: ReadonlySet<string> = new Set(
  `a about all am an and any are as at be but by can could did do doe for from get give had has have help how i if in into is it
  its just let like make me my need no not of on or our out please prompt should so some something than that the their them then
  there these they thi those to u up us use want was we were what when where which who why will with would you your`.split(
    /\s+/,
  ),
)
