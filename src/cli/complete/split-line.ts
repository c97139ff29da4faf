export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

export function isShell(name: string | undefined): name is Shell {
  return shells.some((shell) => shell === name)
}

/** A quote that is open where the cursor stands. */
export type Quote = '' | "'" | '"'

export interface SplitLine {
  /** The words before the one at the cursor, as the program would get them. */
  readonly words: readonly string[]
  /** The word at the cursor, as far as it has been typed; empty after a blank. */
  readonly current: string
  readonly quote: Quote
}

/** Splits a command line, up to the cursor, as the shell does. Nothing is expanded: `$HOME` stays as it is. */
export function splitLine(line: string, shell: Shell): SplitLine {
  const words: string[] = []
  let current: string | undefined
  let quote: Quote = ''
  for (let at = 0; at < line.length; at++) {
    const char = line.charAt(at)
    if (char === '\\' && at + 1 < line.length && isEscape(line.charAt(at + 1), quote, shell)) {
      current = (current ?? '') + line.charAt(++at)
    } else if (char === quote) {
      quote = ''
    } else if (quote === '' && (char === '"' || char === "'")) {
      quote = char
      current ??= ''
    } else if (quote === '' && /\s/.test(char)) {
      if (current !== undefined) words.push(current)
      current = undefined
    } else {
      current = (current ?? '') + char
    }
  }
  return { words, current: current ?? '', quote }
}

/** Whether a backslash before this character is an escape and not itself. */
function isEscape(next: string, quote: Quote, shell: Shell): boolean {
  if (quote === '') return true
  if (quote === '"') return shell === 'fish' ? '"$\\'.includes(next) : '"$`\\'.includes(next)
  return shell === 'fish' && "'\\".includes(next)
}
