import type { Prompt, PromptDraft } from './prompt.ts'

/** Where prompts come from, the weakest first: a prompt of a stronger layer replaces one of the same name below it. */
export interface PromptLayer {
  /** What options and people call it: `builtin`, `user`, `project`, or the name of a team's folder. */
  readonly name: string
  readonly kind: 'builtin' | 'user' | 'team' | 'project'
  readonly isWritable: boolean
  /** Where it is kept, for people: a file, or a database's address without its password. */
  readonly place: string
}

/** A prompt with where it stands. */
export interface StoredPrompt {
  readonly prompt: Prompt
  /** Counts from 1 for each name; never used twice for a name, not even after a removal. */
  readonly revision: number
  readonly layer: string
  /** Label → the revision it points to, which may be an older one. */
  readonly labels: Readonly<Record<string, number>>
  /** Weaker layers that have a prompt of this name too, the strongest first. */
  readonly overrides: readonly string[]
}

/** One line of a prompt's history. */
export interface Revision {
  readonly revision: number
  readonly kind: 'put' | 'removed'
  /** What it was called until this revision, where that changed. */
  readonly renamedFrom?: string
  readonly at?: string
  /** Who made it, such as `capstan` or the name of an MCP client. */
  readonly by?: string
  /** The whole prompt as of this revision; absent when it was removed. */
  readonly prompt?: Prompt
  readonly labels: readonly string[]
}

/** A part of a store that could not be read. It is kept as it is until a person mends it. */
export interface StoreProblem {
  readonly layer: string
  readonly place: string
  /** Counts from 1. */
  readonly line: number
  readonly reason: string
}

export interface StoreChange {
  /** Prompts that were added, changed, relabelled or removed, in the order of their names. */
  readonly names: readonly string[]
}

export interface ReadOptions {
  /** Look in this layer alone. */
  readonly layer?: string
  readonly signal?: AbortSignal
}

export interface WriteOptions {
  /** Where to write. Absent: where the prompt is found now if that layer may be written, else the user's. */
  readonly layer?: string
  /** The revision that the change was made from; 0 means that there is none yet. Refused with `prompt_conflict` when it has moved on. */
  readonly expectedRevision?: number
  readonly by?: string
  readonly signal?: AbortSignal
}

/**
 * The prompt library. Every method looks at what is stored now, whoever wrote it; what a write has answered survives a crash.
 * Unknown names are `prompt_unknown`, unusable prompts and exceeded limits `prompt_invalid`, a change that somebody else was
 * faster with `prompt_conflict`, a layer that may not be written `not_allowed`, a disk that refuses `storage_failed`.
 */
export interface PromptStore extends AsyncDisposable {
  /** The weakest first. */
  layers(): Promise<readonly PromptLayer[]>
  /** In the order of their names. With `layer`, what that layer holds even if it is replaced by a stronger one. */
  list(options?: ReadOptions): Promise<readonly StoredPrompt[]>
  /** The prompt as it is now, or at a revision or label. */
  get(name: string, options?: ReadOptions & { readonly at?: number | string }): Promise<StoredPrompt>
  has(name: string, options?: ReadOptions): Promise<boolean>

  /** Adds or replaces the whole prompt: what the draft leaves out is gone. */
  put(draft: PromptDraft, options?: WriteOptions): Promise<StoredPrompt>
  /** Many at once, in one write; the limits are checked for all before any is stored. */
  putAll(
    drafts: readonly PromptDraft[],
    options?: Omit<WriteOptions, 'expectedRevision'>,
  ): Promise<readonly StoredPrompt[]>
  remove(name: string, options?: WriteOptions): Promise<void>
  /** History and labels go with it. Refused with `prompt_conflict` when `to` is taken in that layer. */
  rename(name: string, to: string, options?: WriteOptions): Promise<StoredPrompt>

  /** The newest first. A removed prompt still has one. */
  history(name: string, options?: ReadOptions): Promise<readonly Revision[]>
  /** Puts what a revision (or label) held once more, as a new revision; also brings a removed prompt back. */
  restore(name: string, at: number | string, options?: WriteOptions): Promise<StoredPrompt>
  /** Points a label at a revision, the newest where none is given; a label points to one revision of a prompt. */
  label(name: string, label: string, options?: WriteOptions & { readonly revision?: number }): Promise<StoredPrompt>
  unlabel(name: string, label: string, options?: WriteOptions): Promise<StoredPrompt>

  /** What could not be read. */
  problems(options?: ReadOptions): Promise<readonly StoreProblem[]>
  /** Moves what is out of date out of the way of readers; history is kept. Happens by itself as well. */
  compact(options?: ReadOptions): Promise<void>
  /** Changes by anybody's hand, gathered over a moment and compared by content. The watch ends with the last listener. */
  onChange(listener: (change: StoreChange) => void): Disposable
}
