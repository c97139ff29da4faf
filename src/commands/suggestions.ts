import type { Range } from './fuzzy.ts'

/** What can stand at the cursor. Accepting an item replaces the text from `from` up to `to` by its `insert`. */
export interface Suggestions {
  readonly from: number
  readonly to: number
  readonly items: readonly Suggestion[]
  /** There are others besides these. */
  readonly hasMore: boolean
  /** The argument that is being typed, to be shown even where nothing can be suggested. */
  readonly argument?: ArgumentHint
}

export interface Suggestion {
  /** Stays the same while the list changes around it. */
  readonly key: string
  readonly kind: 'command' | 'argument' | 'value' | 'resource' | 'file'
  readonly label: string
  readonly insert: string
  readonly detail?: string
  readonly isRequired?: boolean
  /** The parts of the label that were typed. */
  readonly matches: readonly Range[]
}

export interface ArgumentHint {
  readonly name: string
  readonly description?: string
  readonly isRequired: boolean
}

export const mostSuggestions = 100

export function noSuggestions(at: number): Suggestions {
  return { from: at, to: at, items: [], hasMore: false }
}

/** As many as a menu can use. */
export function cut(items: readonly Suggestion[], hasMore = false): Pick<Suggestions, 'items' | 'hasMore'> {
  return { items: items.slice(0, mostSuggestions), hasMore: hasMore || items.length > mostSuggestions }
}
