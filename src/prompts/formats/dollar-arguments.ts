import type { PromptArgument } from '../prompt.ts'
import { argumentNameFor, distinctNames, spellArguments } from './argument-spelling.ts'

/** What a file says about the arguments that its text takes with `$`. */
export interface DollarHints {
  /** Names in the order of their positions, as `arguments` in the front matter gives them. */
  readonly names: readonly string[]
  /** For people, such as `<file> [mode]`. */
  readonly hint?: string | undefined
}

interface DollarText {
  readonly text: string
  readonly arguments: readonly PromptArgument[]
}

const placeholders =
  /(?<![\\$\w])\$(?:ARGUMENTS\[(?<index>\d)\]|(?<whole>ARGUMENTS)\b|(?<digit>\d)(?![\w.,]\d|\w)|(?<word>[A-Za-z_]\w*))/g

/**
 * Finds the arguments of a text that spells them `$ARGUMENTS`, `$ARGUMENTS[0]`, `$1` or `$name`, and spells them our way. `$1` is
 * the first argument, as it always was, unless the text also has `$0`, which newer clients count from.
 */
export function readDollarText(text: string, { names, hint }: DollarHints): DollarText {
  const uses = Array.from(text.matchAll(placeholders), ({ groups = {} }) => groups)
  const first = names.length > 0 || uses.some(({ index, digit }) => index !== undefined || digit === '0') ? 0 : 1
  const positions = uses.flatMap(({ index, digit }) => {
    if (index !== undefined) return [Number(index)]
    return digit === undefined ? [] : [Math.max(0, Number(digit) - first)]
  })
  const hinted = hintedArguments(hint)
  const size = Math.max(names.length, ...positions.map((position) => position + 1), 0)
  const known = Array.from({ length: size }, (_, at) => named(names[at]) ?? hinted[at] ?? named(`arg${at + 1}`))
  const takesWhole = uses.some(({ whole }) => whole !== undefined)
  const whole = size === 0 && hinted.length === 1 ? hinted[0] : named('arguments')
  const wanted = [...known, ...(takesWhole ? [whole] : [])].filter((argument) => argument !== undefined)
  const free = distinctNames(wanted.map(({ name }) => name))
  const all = wanted.map((argument, at) => ({ ...argument, name: free[at] ?? argument.name }))
  return {
    arguments: all,
    text: text.replaceAll(placeholders, (found, ...rest) => {
      const groups = groupsOf(rest)
      if (groups['whole'] !== undefined) return braces(all.at(-1), found)
      if (groups['index'] !== undefined) return braces(all[Number(groups['index'])], found)
      if (groups['digit'] !== undefined) return braces(all[Math.max(0, Number(groups['digit']) - first)], found)
      const at = names.indexOf(groups['word'] ?? '')
      return at === -1 ? found : braces(all[at], found)
    }),
  }
}

/** How we spell arguments for a client: all of the line for a single one, so that nobody has to quote; else by name or position. */
function dollarSpelling(declared: readonly PromptArgument[], by: 'name' | 'position'): ReadonlyMap<string, string> {
  if (declared.length === 1) return new Map(declared.map(({ name }) => [name, '$ARGUMENTS']))
  const words = dollarWords(declared)
  return new Map(declared.map(({ name }, at) => [name, by === 'name' ? `$${words[at]}` : `$${at + 1}`]))
}

/** The names of arguments as they can stand behind a `$`. */
export function dollarWords(declared: readonly PromptArgument[]): readonly string[] {
  return distinctNames(declared.map(({ name }) => name.replaceAll(/\W/g, '_').replace(/^(?=\d|ARGUMENTS$)/, '_')))
}

export function writeDollarText(text: string, declared: readonly PromptArgument[], by: 'name' | 'position'): string {
  const spelling = dollarSpelling(declared, by)
  return spellArguments(text, declared, ({ name }) => spelling.get(name) ?? '')
}

/** Takes back what `writeDollarText` did, and leaves every other `$` alone. */
export function unspellDollarText(text: string, declared: readonly PromptArgument[]): string {
  const names = new Map(Array.from(dollarSpelling(declared, 'name'), ([name, spelled]) => [spelled, name]))
  return text.replaceAll(placeholders, (found) => {
    const name = names.get(found)
    return name === undefined ? found : `{{${name}}}`
  })
}

/** `<file> [mode]`: who must be given, and who may. */
export function dollarHint(declared: readonly PromptArgument[]): string {
  return declared.map(({ name, required }) => (required ? `<${name}>` : `[${name}]`)).join(' ')
}

function hintedArguments(hint = ''): readonly PromptArgument[] {
  return Array.from(hint.matchAll(/<([^<>]+)>|\[([^[\]]+)\]/g), ([, needed, optional = '']) => {
    const label = (needed ?? optional).trim()
    const name = argumentNameFor(label.replace(/^-+/, ''))
    const required = needed !== undefined
    return name === label ? { name, required } : { name, description: label, required }
  }).filter(({ name }) => name !== '')
}

function named(name: string | undefined): PromptArgument | undefined {
  return name === undefined ? undefined : { name, required: false }
}

function braces(argument: PromptArgument | undefined, found: string): string {
  return argument === undefined ? found : `{{${argument.name}}}`
}

/** `replaceAll` gives the named groups last. */
function groupsOf(rest: readonly unknown[]): Readonly<Record<string, string | undefined>> {
  const groups = rest.at(-1)
  return typeof groups === 'object' && groups !== null ? { ...groups } : {}
}
