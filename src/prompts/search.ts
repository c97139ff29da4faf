import type { SearchResult } from 'minisearch'
import { CapstanError } from '../errors.ts'
import { emptyIndex, updateIndex, type PromptIndex } from './search/index-prompts.ts'
import { matchIn, type PromptMatch } from './search/matches.ts'
import { searchFields, textOf, type SearchField } from './search/prompt-text.ts'
import { readQuery, type QueryTerm } from './search/query.ts'
import { readSavedIndex, saveIndex } from './search/saved-index.ts'
import type { PromptStore, StoredPrompt } from './store.ts'
import { hasAnyTag, hasEveryTag } from './tags.ts'

export interface PromptSearchOptions {
  /** Look only in these fields. */
  readonly fields?: readonly SearchField[]
  /** Tags that a prompt must have, all of them; `language` is there in `language/go`. */
  readonly tags?: readonly string[]
  /** Tags of which it must have at least one. */
  readonly anyTags?: readonly string[]
  readonly limit?: number
  /** 0 to 1. */
  readonly minScore?: number
}

export interface PromptHit {
  readonly stored: StoredPrompt
  /** 0 to 1, comparable between queries. */
  readonly score: number
  readonly matches: readonly PromptMatch[]
}

export interface PromptSearch {
  /** The best first. Without words, what has the tags, in the order of names. */
  search(query: string, options?: PromptSearchOptions): Promise<readonly PromptHit[]>
  /** Writes the index of a large library to its file, so that the next process need not make it. */
  keep(): Promise<void>
}

export interface PromptSearchSetup {
  /**
   * Where the index of a large library is kept; without it, nowhere. Reading and writing it is not done in slices: it is for
   * commands, which have nothing else to do, and not for servers.
   */
  readonly indexFile?: string
}

/** A search over a store. The index is made at the first query, in slices, and follows the store from then on. */
export function makePromptSearch(
  store: Pick<PromptStore, 'list'>,
  { indexFile }: PromptSearchSetup = {},
): PromptSearch {
  let index: PromptIndex | undefined
  let indexed: readonly StoredPrompt[] | undefined
  let unsaved = 0
  let turn: Promise<unknown> = Promise.resolve()

  return {
    async search(query, options = {}) {
      const list = await store.list()
      const wanted = list.filter(({ prompt }) => isTagged(prompt, options))
      if (query.trim() === '') return wanted.slice(0, limitOf(options)).map(hitWithoutWords)
      const byName = new Map(wanted.map((stored) => [stored.prompt.name, stored]))
      return await withIndex(list, (current) => findPrompts(current, query, { ...options, wanted: byName }))
    },
    async keep() {
      if (indexFile === undefined || index === undefined || index.signatures.size < worthKeeping) return
      if (unsaved === 0 || unsaved < index.signatures.size / 50) return
      await saveIndex(indexFile, index)
      unsaved = 0
    },
  }

  /** One after the other: queries that come together share one update, and none looks at an index half-way through. */
  async function withIndex<T>(list: readonly StoredPrompt[], look: (index: PromptIndex) => T): Promise<T> {
    const looking = turn.then(async () => {
      index ??= (indexFile === undefined ? undefined : await readSavedIndex(indexFile)) ?? emptyIndex()
      if (indexed !== list) {
        unsaved += await updateIndex(
          index,
          list.map(({ prompt }) => prompt),
        )
      }
      indexed = list
      return look(index)
    })
    turn = looking.catch(() => undefined)
    return await looking
  }
}

/** Below, making an index anew is as quick as reading it. */
const worthKeeping = 500
/** The strength that makes a score of one half. */
const halfScore = 20

function isTagged(prompt: StoredPrompt['prompt'], { tags = [], anyTags = [] }: PromptSearchOptions): boolean {
  return hasEveryTag(prompt, tags) && (anyTags.length === 0 || hasAnyTag(prompt, anyTags))
}

function limitOf({ limit = 10 }: PromptSearchOptions): number {
  return Math.max(0, limit)
}

function hitWithoutWords(stored: StoredPrompt): PromptHit {
  return { stored, score: 1, matches: [] }
}

interface Candidate {
  readonly stored: StoredPrompt
  readonly result: SearchResult
  readonly strength: number
}

function findPrompts(
  index: PromptIndex,
  query: string,
  options: PromptSearchOptions & { readonly wanted: ReadonlyMap<string, StoredPrompt> },
): readonly PromptHit[] {
  const { wanted, minScore = 0, fields = searchFields } = options
  const unknown = fields.find((field) => !searchFields.includes(field))
  if (unknown !== undefined) throw unknownField(unknown)
  const terms = readQuery(query, { contentCounts: index.contentCounts, prompts: index.signatures.size })
  return lookUp(index, terms, fields)
    .flatMap((result): readonly Candidate[] => {
      const stored = wanted.get(String(result.id))
      return stored === undefined ? [] : [{ stored, result, strength: strengthOf(result, terms.length) }]
    })
    .sort((a, b) => b.strength - a.strength || (a.stored.prompt.name < b.stored.prompt.name ? -1 : 1))
    .slice(0, limitOf(options))
    .map(hitOf)
    .filter(({ score }) => score >= minScore)
}

function lookUp(
  { engine }: PromptIndex,
  terms: readonly QueryTerm[],
  fields: readonly SearchField[],
): readonly SearchResult[] {
  return engine.search({
    combineWith: 'OR',
    queries: terms.map(({ term, prefix, edits, fields: telling }) => ({
      queries: [term],
      tokenize: (text: string) => [text],
      prefix,
      fuzzy: edits,
      fields: telling.filter((field) => fields.includes(field)),
    })),
  })
}

/** The engine multiplies by the number of words found; half of the words found should count for less than half. */
function strengthOf({ score, queryTerms }: SearchResult, wordCount: number): number {
  return (score / Math.max(1, queryTerms.length)) * (queryTerms.length / wordCount) ** 2
}

function hitOf({ stored, result, strength }: Candidate): PromptHit {
  const texts = textOf(stored.prompt)
  const terms = Object.keys(result.match)
  const places = new Set(Object.values(result.match).flat())
  return {
    stored,
    score: Number((strength / (strength + halfScore)).toFixed(4)),
    matches: searchFields
      .filter((field) => places.has(field))
      .flatMap((field) =>
        matchIn(field, texts[field], new Set(terms.filter((term) => result.match[term]?.includes(field)))),
      ),
  }
}

function unknownField(field: string): CapstanError {
  return new CapstanError('usage', `Prompts have no field "${field}" to search in.`, {
    next: `Fields: ${searchFields.join(', ')}.`,
  })
}
