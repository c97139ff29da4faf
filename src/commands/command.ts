import type { OnAsk, Progress } from '../hub/api.ts'
import type { JsonObject } from '../hub/values.ts'
import type { Declared, Slot } from './grammar.ts'
import type { Block, FormField, Outcome } from './outcome.ts'

/** Something that can be typed after a slash. */
export interface Command {
  /** Stays the same as long as it is the same command, so that a menu can keep its selection. */
  readonly key: string
  readonly kind: 'builtin' | 'prompt'
  /** Without the slash. */
  readonly name: string
  readonly title?: string
  readonly summary: string
  /** What follows its name, where the declared arguments do not say all of it: `[NAME] | restart NAME`. */
  readonly usage?: string
  /** What it takes; the first word may decide. */
  readonly declare: (firstWord: string) => CommandArguments
  readonly run: (input: CommandInput, options: RunOptions) => Promise<Outcome>
}

export interface CommandArguments extends Declared {
  readonly slots: readonly CommandArgument[]
  /** What a form for them is about, where the first word has decided that. */
  readonly about?: { readonly title: string; readonly description: string }
}

export interface CommandArgument extends Slot, FormField {
  readonly required: boolean
  /** Offered as `name=` in suggestions. */
  readonly isOfferedByName?: boolean
  readonly complete?: Completer
}

export interface CommandInput {
  readonly values: ReadonlyMap<string, readonly string[]>
  readonly json: JsonObject | undefined
  /** What was typed, or what could have been typed instead of filling in a form. */
  readonly line: string
}

export interface RunOptions {
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: Progress) => void
  readonly onAsk?: OnAsk
  /** Shown at once, while the command still runs: what a snippet logs. */
  readonly onBlock?: (block: Block) => void
}

export interface Candidate {
  readonly value: string
  readonly detail?: string
}

export interface Candidates {
  readonly items: readonly Candidate[]
  /** There are others besides these. */
  readonly hasMore?: boolean
  /** They fit in a way that only their source knows: show them even where the letters differ. */
  readonly isRanked?: boolean
}

/** The values that an argument can have, given what is typed of it and the other arguments. Never rejects. */
export type Completer = (
  typed: string,
  options: { readonly given: Readonly<Record<string, string>>; readonly signal?: AbortSignal | undefined },
) => Promise<Candidates>

/** The one value of an argument. */
export function valueOf({ values }: CommandInput, name: string): string | undefined {
  return values.get(name)?.[0]
}
