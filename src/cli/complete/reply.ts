import { unreachable } from '../../errors.ts'
import { plainLine, revealedText } from '../../policy/plain-text.ts'
import type { Candidate, Offer } from './offer.ts'
import { splitLine, type Quote, type Shell, type SplitLine } from './split-line.ts'

export interface Cursor {
  readonly line: SplitLine
  /** What readline takes for the word at the cursor, for bash replaces only that; all of it when absent. */
  readonly word: string | undefined
}

/**
 * The answer to a shell's script: a line with `words` or `files`, a line with the part of the word that stays, and a line for each
 * candidate. What servers call their tools ends up on a command line here, so nothing in it may be able to do harm.
 */
export function renderReply(shell: Shell, offer: Offer, cursor: Cursor): string {
  const lines = offer.kind === 'files' ? [] : candidateLines(shell, offer, cursor)
  return [offer.kind, offer.prefix, ...lines].map((line) => `${line}\n`).join('')
}

type OfferedWords = Extract<Offer, { readonly kind: 'words' }>

function candidateLines(shell: Shell, { prefix, candidates }: OfferedWords, cursor: Cursor): readonly string[] {
  const safe = candidates.filter(({ value }) => revealedText(value) === value && value !== '')
  switch (shell) {
    case 'bash':
      return bashLines(
        safe.map(({ value }) => prefix + value),
        cursor,
      )
    case 'zsh':
      return safe.map((candidate) => withAbout(candidate.value, candidate))
    case 'fish':
      return safe.map((candidate) => withAbout(prefix + candidate.value, candidate))
    default:
      return unreachable(shell)
  }
}

function withAbout(value: string, { about = '' }: Candidate): string {
  const text = plainLine(about)
  return `${value}\t${text.length > longestAbout ? `${text.slice(0, longestAbout - 1)}…` : text}`
}

const longestAbout = 80

/** Bash inserts what it gets as it stands, so it is quoted here, and gets only what comes in place of its own word. */
function bashLines(values: readonly string[], { line: { current, quote }, word }: Cursor): readonly string[] {
  const replaced = word === undefined ? current : splitLine(quote + word, 'bash').current
  if (!current.endsWith(replaced)) return []
  const kept = current.length - replaced.length
  return values
    .filter((value) => value.startsWith(current))
    .map((value) => {
      const text = quoteForBash(value.slice(kept), quote)
      return text + (quote === '' ? blankAfter(value) : closing(text, quote))
    })
}

function blankAfter(value: string): string {
  return value.endsWith('=') ? '' : ' '
}

/** Readline closes an open quote by itself, but not behind a text that ends with the same character. */
function closing(text: string, quote: Quote): string {
  return text.endsWith(quote) ? quote : ''
}

function quoteForBash(text: string, quote: Quote): string {
  switch (quote) {
    case "'":
      return text.replaceAll("'", String.raw`'\''`)
    case '"':
      // An exclamation mark cannot be escaped there: the quotes are left for it.
      return text.replaceAll(/["$`\\]/g, String.raw`\$&`).replaceAll('!', `"'!'"`)
    case '':
      return text.replaceAll(/[^\p{L}\p{N}_.,:/@%+=-]/gu, String.raw`\$&`)
    default:
      return unreachable(quote)
  }
}
