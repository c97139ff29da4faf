import MiniSearch, { type SearchResult } from 'minisearch'
import type { SearchField, ToolEntry, ToolHit, ToolSearchOptions } from '../api.ts'
import { readQuery, type QueryTerm } from './query.ts'
import { searchFields, textOf } from './tool-text.ts'
import { termsOf, wordsOf } from './words.ts'

/** The tools that fit a query best, the best first. */
export type ToolSearch = (query: string, options?: ToolSearchOptions) => readonly ToolHit[]

/** A search over these tools. The first query builds the index, which lives as long as the search. */
export function makeToolSearch(tools: readonly ToolEntry[]): ToolSearch {
  let built: Index | undefined
  return (query, options = {}) => {
    built ??= buildIndex(tools)
    return findTools(built, query, options)
  }
}

interface Index {
  readonly tools: readonly ToolEntry[]
  readonly engine: MiniSearch<Document>
  /** Every term of every tool. */
  readonly vocabulary: ReadonlySet<string>
}

type Document = Readonly<Record<SearchField, string>> & { readonly id: number }

function buildIndex(tools: readonly ToolEntry[]): Index {
  const vocabulary = new Set<string>()
  const engine = new MiniSearch<Document>({
    fields: [...searchFields],
    tokenize: (text, field) => {
      const terms = field === 'name' ? nameTerms(text) : termsOf(text)
      for (const term of terms) vocabulary.add(term)
      return terms
    },
    processTerm: (term) => term,
    searchOptions: { boost: fieldWeights, weights: { prefix: 0.35, fuzzy: 0.45 } },
  })
  engine.addAll(tools.map((tool, id) => ({ id, ...textOf(tool) })))
  return { tools, engine, vocabulary }
}

// Found with the tuning half of bench/search; small changes of any of them change little.
const fieldWeights: Readonly<Record<SearchField, number>> = {
  name: 8,
  title: 2,
  server: 3,
  description: 3,
  arguments: 0.5,
  details: 0.5,
}

/** With the whole name in one word, so that `readfile` finds read_file. */
function nameTerms(name: string): string[] {
  const words = wordsOf(name)
  return words.length > 1 ? [...termsOf(name), words.map(({ term }) => term).join('')] : termsOf(name)
}

interface Candidate {
  readonly tool: ToolEntry
  readonly result: SearchResult
  readonly strength: number
}

function findTools(
  index: Index,
  query: string,
  { limit = 10, servers, minScore = 0 }: ToolSearchOptions,
): readonly ToolHit[] {
  const terms = readQuery(query, index.vocabulary)
  const wordCount = new Set([...terms.values()].map(({ word }) => word)).size
  return lookUp(index, terms)
    .flatMap((result): readonly Candidate[] => {
      const tool = index.tools[Number(result.id)]
      if (tool === undefined || servers?.includes(tool.server) === false) return []
      return [{ tool, result, strength: strengthOf(result, terms, wordCount) }]
    })
    .sort((a, b) => b.strength - a.strength || (a.tool.id < b.tool.id ? -1 : 1))
    .slice(0, Math.max(0, limit))
    .map((candidate) => hitOf(candidate, terms))
    .filter(({ score }) => score >= minScore)
}

function lookUp({ engine }: Index, terms: ReadonlyMap<string, QueryTerm>): readonly SearchResult[] {
  return engine.search([...terms.keys()].join(' '), {
    tokenize: (text) => text.split(' '),
    boostTerm: (term) => terms.get(term)?.weight ?? 1,
    prefix: (term) => terms.get(term)?.prefix ?? false,
    fuzzy: (term) => terms.get(term)?.edits ?? 0,
  })
}

/**
 * The engine multiplies by the number of terms found; a word and its synonyms are several terms but one wish, so words are
 * counted instead.
 */
function strengthOf(
  { score, queryTerms }: SearchResult,
  terms: ReadonlyMap<string, QueryTerm>,
  wordCount: number,
): number {
  const words = new Set(queryTerms.map((term) => terms.get(term)?.word))
  return ((score / queryTerms.length) * words.size) / wordCount
}

const halfScore = 20

function hitOf({ tool, result, strength }: Candidate, terms: ReadonlyMap<string, QueryTerm>): ToolHit {
  const found = new Set(result.queryTerms.map((term) => terms.get(term)?.word))
  const words = new Set([...terms.values()].map(({ word }) => word))
  const places = new Set(Object.values(result.match).flat())
  return {
    tool,
    score: Number((strength / (strength + halfScore)).toFixed(4)),
    terms: [...words].filter((word) => found.has(word)),
    fields: searchFields.filter((field) => places.has(field)),
  }
}
