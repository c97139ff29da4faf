import type { Declared, ParsedLine, Slot } from './grammar.ts'
import { parseLine } from './parse-line.ts'
import { quoted } from './written-value.ts'

/** The line that runs a command with these values: what `parseLine` takes back. */
export function printLine(name: string, values: Readonly<Record<string, string>>, declared: Declared): string {
  const given = declared.slots.filter((slot) => Object.hasOwn(values, slot.name))
  const isBare = (slot: Slot) => slot.isPositional === true
  const wordOf = ({ name: key, keepsQuotes }: Slot) => {
    const value = values[key] ?? ''
    return keepsQuotes === true ? value : writeWord(value)
  }
  const bare = [writeName(name), ...given.filter(isBare).map(wordOf)]
  const named = given.filter((slot) => !isBare(slot))
  const plain = [...bare, ...named.map((slot) => `${slot.name}=${wordOf(slot)}`)].join(' ')
  if (
    named.length === 0 ||
    means(
      parseLine(plain, () => declared),
      name,
      values,
    )
  )
    return plain
  // A name can hold blanks or signs of equality; what cannot be typed as key=value is given as JSON.
  const json = Object.fromEntries(named.map((slot) => [slot.name, values[slot.name]]))
  return [...bare, '--args', JSON.stringify(json)].join(' ')
}

/** A command's name as it is typed. */
export function writeName(name: string): string {
  return `/${name.replaceAll(/\s/gu, (blank) => `\\${blank}`)}`
}

/** A value that stands for itself wherever one word is expected. */
function writeWord(value: string): string {
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
