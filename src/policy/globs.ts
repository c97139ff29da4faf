import { unreachable } from '../errors.ts'

/**
 * Whether a name fits a pattern: `*` is any text, `?` one character, `{a,b}` one of these; anything else stands for
 * itself, so that a plain name matches exactly. Patterns come from files of strangers, hence the sets of positions
 * instead of a regular expression: the work is bounded by the two lengths multiplied.
 */
export function matchesGlob(pattern: string, name: string): boolean {
  if (!/[*?{]/.test(pattern)) return pattern === name
  const characters = Array.from(name)
  return advance(parsePattern(Array.from(pattern)), characters, new Set([0])).has(characters.length)
}

type Step =
  | { readonly kind: 'character'; readonly character: string }
  | { readonly kind: 'one' }
  | { readonly kind: 'any' }
  | { readonly kind: 'choice'; readonly options: readonly (readonly Step[])[] }

/** Where the steps can end in the name, when they can begin at any of `starts`. */
function advance(steps: readonly Step[], name: readonly string[], starts: ReadonlySet<number>): ReadonlySet<number> {
  return steps.reduce((positions, step) => (positions.size === 0 ? positions : take(step, name, positions)), starts)
}

function take(step: Step, name: readonly string[], starts: ReadonlySet<number>): ReadonlySet<number> {
  switch (step.kind) {
    case 'character':
      return new Set([...starts].filter((at) => name[at] === step.character).map((at) => at + 1))
    case 'one':
      return new Set([...starts].filter((at) => at < name.length).map((at) => at + 1))
    case 'any': {
      const first = [...starts].reduce((least, at) => Math.min(least, at))
      return new Set(Array.from({ length: name.length - first + 1 }, (_, further) => first + further))
    }
    case 'choice':
      return new Set(step.options.flatMap((option) => [...advance(option, name, starts)]))
    default:
      return unreachable(step)
  }
}

function parsePattern(pattern: readonly string[]): readonly Step[] {
  const closings = closingBraces(pattern)

  function parse(from: number, to: number): readonly Step[] {
    const steps: Step[] = []
    for (let at = from; at < to; at++) {
      const closing = closings.get(at)
      steps.push(
        closing === undefined ? single(pattern[at] ?? '') : { kind: 'choice', options: options(at + 1, closing) },
      )
      at = closing ?? at
    }
    return steps
  }

  function options(from: number, to: number): readonly (readonly Step[])[] {
    const found: (readonly Step[])[] = []
    let start = from
    for (let at = from; at <= to; at++) {
      if (at === to || pattern[at] === ',') {
        found.push(parse(start, at))
        start = at + 1
      }
      at = closings.get(at) ?? at
    }
    return found
  }

  return parse(0, pattern.length)
}

/** The `}` of each `{`; a brace without its partner stands for itself. */
function closingBraces(pattern: readonly string[]): ReadonlyMap<number, number> {
  const closings = new Map<number, number>()
  const open: number[] = []
  for (const [at, character] of pattern.entries()) {
    if (character === '{') open.push(at)
    const opening = character === '}' ? open.pop() : undefined
    if (opening !== undefined) closings.set(opening, at)
  }
  return closings
}

function single(character: string): Step {
  if (character === '*') return { kind: 'any' }
  return character === '?' ? { kind: 'one' } : { kind: 'character', character }
}
