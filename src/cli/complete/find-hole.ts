import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'

/** What is known of the words before the cursor. */
export interface Given {
  /** Values of flags, by name. */
  readonly flags: ReadonlyMap<string, readonly string[]>
  /** Besides the verb. */
  readonly positionals: readonly string[]
}

/** What belongs where the cursor stands. `typed` is what of it is there already, `prefix` what stands before it in the same word. */
export type Hole =
  | { readonly kind: 'flag'; readonly typed: string }
  | { readonly kind: 'flag-value'; readonly flag: string; readonly prefix: string; readonly typed: string }
  | { readonly kind: 'positional'; readonly typed: string }
  /** Behind `--`, where words belong to somebody else's command. */
  | { readonly kind: 'foreign'; readonly typed: string }

export interface TypedLine {
  readonly words: readonly string[]
  readonly current: string
}

/** The verb among the words, found as the command line finds it, and the words without it. */
export function takeVerb(words: readonly string[], options: ParseArgsOptionsConfig): readonly [string?, string[]?] {
  const first = tokensOf(words, options).find((token) => token.kind === 'positional')
  return first === undefined ? [] : [first.value, words.toSpliced(first.index, 1)]
}

/** Where the cursor stands among the words of one verb. */
export function findHole({ words, current }: TypedLine, options: ParseArgsOptionsConfig): Hole {
  const tokens = tokensOf(words, options)
  if (tokens.some((token) => token.kind === 'option-terminator')) return { kind: 'foreign', typed: current }
  const last = tokens.at(-1)
  if (last?.kind === 'option' && last.value === undefined && options[last.name]?.type === 'string') {
    return { kind: 'flag-value', flag: last.name, prefix: '', typed: current }
  }
  const [, flag, value] = /^--([\w-]+)=(.*)$/s.exec(current) ?? []
  if (flag !== undefined && value !== undefined) {
    return { kind: 'flag-value', flag, prefix: `--${flag}=`, typed: value }
  }
  return { kind: current.startsWith('-') ? 'flag' : 'positional', typed: current }
}

/** What the words before the cursor say. */
export function readGiven(words: readonly string[], options: ParseArgsOptionsConfig): Given {
  const flags = new Map<string, readonly string[]>()
  const positionals: string[] = []
  for (const token of tokensOf(words, options)) {
    if (token.kind === 'positional') positionals.push(token.value)
    if (token.kind === 'option') flags.set(token.name, [...(flags.get(token.name) ?? []), token.value ?? ''])
  }
  return { flags, positionals }
}

function tokensOf(words: readonly string[], options: ParseArgsOptionsConfig) {
  return parseArgs({ args: [...words], options, strict: false, allowPositionals: true, tokens: true }).tokens
}
