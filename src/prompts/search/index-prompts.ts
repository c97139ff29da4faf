import MiniSearch, { type AsPlainObject, type Options } from 'minisearch'
import { makePause } from '../../files/pause.ts'
import { quickHash } from '../../files/quick-hash.ts'
import type { Prompt } from '../prompt.ts'
import { fieldWeights, searchFields, textOf, type SearchField } from './prompt-text.ts'
import { termsOf } from './words.ts'

type Document = Readonly<Record<SearchField, string>> & { readonly id: string }

/** An index of prompts by name that is kept in step with them. */
export interface PromptIndex {
  readonly engine: MiniSearch<Document>
  /** How many prompts have each term in their content. It is not taken back when prompts go: it only guides. */
  readonly contentCounts: Map<string, number>
  /** Name → what was indexed under it. */
  readonly signatures: Map<string, string>
  /** The prompts as they were last seen, to pass by what is still the same object. */
  readonly seen: Map<string, Prompt>
}

export function emptyIndex(): PromptIndex {
  const contentCounts = new Map<string, number>()
  const engine = new MiniSearch<Document>(engineOptions(contentCounts))
  return { engine, contentCounts, signatures: new Map(), seen: new Map() }
}

/** An index from what `engine.toJSON()` gave. */
export function loadIndex(saved: AsPlainObject, signatures: ReadonlyMap<string, string>): PromptIndex {
  const contentField = String(saved.fieldIds['content'])
  const contentCounts = new Map<string, number>()
  for (const [term, fields] of saved.index) contentCounts.set(term, Object.keys(fields[contentField] ?? {}).length)
  const engine = MiniSearch.loadJS<Document>(saved, engineOptions(contentCounts))
  return { engine, contentCounts, signatures: new Map(signatures), seen: new Map() }
}

/** Takes in what is new or changed and takes out what is gone, in slices. Gives how many prompts that were. */
export async function updateIndex(index: PromptIndex, prompts: readonly Prompt[]): Promise<number> {
  const pause = makePause()
  const names = new Set(prompts.map(({ name }) => name))
  let changes = 0
  for (const name of [...index.signatures.keys()].filter((known) => !names.has(known))) {
    takeOut(index, name)
    changes += 1
    await pause()
  }
  for (const prompt of prompts) {
    if (index.seen.get(prompt.name) === prompt) continue
    if (takeIn(index, prompt)) changes += 1
    await pause()
  }
  return changes
}

function takeIn(index: PromptIndex, prompt: Prompt): boolean {
  const text = textOf(prompt)
  const signature = quickHash(Object.values(text).join('\0'))
  index.seen.set(prompt.name, prompt)
  if (index.signatures.get(prompt.name) === signature) return false
  if (index.signatures.has(prompt.name)) index.engine.discard(prompt.name)
  index.engine.add({ id: prompt.name, ...text })
  index.signatures.set(prompt.name, signature)
  return true
}

function takeOut(index: PromptIndex, name: string): void {
  index.engine.discard(name)
  index.signatures.delete(name)
  index.seen.delete(name)
}

function engineOptions(contentCounts: Map<string, number>): Options<Document> {
  return {
    fields: [...searchFields],
    tokenize: (text, field) => {
      const terms = termsOf(text)
      for (const term of new Set(terms)) {
        contentCounts.set(term, (contentCounts.get(term) ?? 0) + Number(field === 'content'))
      }
      return terms
    },
    processTerm: (term) => term,
    searchOptions: { boost: { ...fieldWeights }, weights: { prefix: 0.5, fuzzy: 0.35 } },
  }
}
