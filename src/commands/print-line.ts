import type { Declared, ParsedLine } from './grammar.ts'
import { parseLine } from './parse-line.ts'
import { quoted } from './written-value.ts'

/** The line that runs a command with these values: what `parseLine` takes back. */
export function printLine(name: string, values: Readonly<Record<string, string>>, declared: Declared): string {
  const order = declared.slots.map((slot) => slot.name)
  const entries = Object.entries(values).toSorted(([a], [b]) => order.indexOf(a) - order.indexOf(b))
  const words = entries.map(([key, value]) => `${key}=${writeWord(value)}`)
  const plain = [writeName(name), ...words].join(' ')
  // A name can hold blanks or signs of equality; what cannot be typed as key=value is given as JSON.
  return means(
    parseLine(plain, () => declared),
    name,
    values,
  )
    ? plain
    : `${writeName(name)} --args ${JSON.stringify(Object.fromEntries(entries))}`
}

/** A command's name as it is typed. */
export function writeName(name: string): string {
  return `/${name.replaceAll(/\s/gu, (blank) => `\\${blank}`)}`
}

/** A value that stands for itself wherever one word is expected. */
export function writeWord(value: string): string {
  return /^[\w.,:@/+%-]+$/u.test(value) && !value.startsWith('--') ? value : quoted(value)
}

function means(parsed: ParsedLine, name: string, wanted: Readonly<Record<string, string>>): boolean {
  const keys = Object.keys(wanted)
  return (
    parsed.name === name &&
    parsed.problems.every(({ severity }) => severity === 'warning') &&
    parsed.values.size === keys.length &&
    keys.every((key) => {
      const given = parsed.values.get(key)
      return given?.length === 1 && given[0] === wanted[key]
    })
  )
}
