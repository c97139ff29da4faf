import type { JsonObject } from '../hub/values.ts'

/** An argument as the grammar needs to know it. */
export interface Slot {
  readonly name: string
  readonly required?: boolean
  /** May be given several times. */
  readonly isRepeatable?: boolean
  /** False: takes one word even where it is the last, because more is to come once it is known. */
  readonly takesRest?: boolean
  /** As the only argument it goes as it stands, even when quotes go around all of it: code. */
  readonly keepsQuotes?: boolean
  /** Never given as `key=value`, so that its text may look like one. */
  readonly isPositional?: boolean
}

/** What a command takes. */
export interface Declared {
  readonly slots: readonly Slot[]
  /** Also takes `key=value` for keys that nobody declared. */
  readonly takesAnyKey?: boolean
}

/** What the command of this name takes; its first word may decide. Undefined when there is no such command. */
export type Declare = (name: string, firstWord: string) => Declared | undefined

export type TokenKind =
  /** `/name`, with its slash. */
  | 'name'
  | 'blank'
  /** `key=` or `--key=`. */
  | 'key'
  | 'value'
  /** `--args`, with its sign of equality. */
  | 'flag'
  | 'json'
  /** Belongs to no argument. */
  | 'extra'
  /** Of a line that is no command. */
  | 'text'
  | 'mention'

/** A piece of a line, from `start` up to but without `end`. */
export interface Token {
  readonly kind: TokenKind
  readonly start: number
  readonly end: number
  /** What it means: without quotes, escapes, slash or sign of equality. */
  readonly value: string
  /** The argument that it belongs to. */
  readonly argument?: string
  /** It goes as it stands, quotes and all. */
  readonly isVerbatim?: boolean
}

/** What is wrong with a piece of a line. A warning stops nothing. */
export interface Problem {
  readonly severity: 'error' | 'warning'
  readonly start: number
  readonly end: number
  readonly message: string
}

/** One line, read once for completion, for highlighting and for running it. Its tokens cover all of its text, in order. */
export interface ParsedLine {
  readonly kind: 'command' | 'text'
  /** The command's name without its slash; empty for text. */
  readonly name: string
  readonly isKnown: boolean
  /** What follows the name, up to a blank: some commands decide by it what they take. */
  readonly firstWord: string
  readonly declared: Declared
  readonly tokens: readonly Token[]
  readonly problems: readonly Problem[]
  /** What was given for each argument, in the order of the line. */
  readonly values: ReadonlyMap<string, readonly string[]>
  /** The object of `--args`. */
  readonly json: JsonObject | undefined
}
