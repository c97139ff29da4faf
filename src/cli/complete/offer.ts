/** One thing that could stand at the cursor. A value that ends in `=` is not finished: no blank follows it. */
export interface Candidate {
  readonly value: string
  readonly about?: string | undefined
}

/** What is offered: words, or names of files, which the shell knows best. `prefix` is the part of the word that stays as it is. */
export type Offer =
  | { readonly kind: 'words'; readonly prefix: string; readonly candidates: readonly Candidate[] }
  | { readonly kind: 'files'; readonly prefix: string }

export const nothing: Offer = { kind: 'words', prefix: '', candidates: [] }

export function words(candidates: readonly Candidate[], prefix = ''): Offer {
  return { kind: 'words', prefix, candidates }
}

export function files(prefix = ''): Offer {
  return { kind: 'files', prefix }
}

export function plain(values: readonly string[]): readonly Candidate[] {
  return values.map((value) => ({ value }))
}
