import type { Candidates, Command, CommandArgument } from './command.ts'
import { rank } from './fuzzy.ts'
import type { ParsedLine, Slot, Token } from './grammar.ts'
import {
  cut,
  mostSuggestions,
  noSuggestions,
  type ArgumentHint,
  type Suggestion,
  type Suggestions,
} from './suggestions.ts'
import { isQuote, quoted, readValue } from './written-value.ts'

export interface ArgumentPlace {
  readonly line: string
  readonly cursor: number
  readonly parsed: ParsedLine
  readonly command: Command
  readonly reparse: (line: string) => ParsedLine
  readonly signal?: AbortSignal | undefined
}

/** Names and values of arguments, where the cursor stands behind a command's name. */
export async function suggestArguments(place: ArgumentPlace): Promise<Suggestions> {
  const { cursor, parsed } = place
  const hole = findHole(place)
  if (hole === undefined) return noSuggestions(cursor)
  const { from, to, slot, typed, mayBeName } = hole
  const key = typed.replace(/^--/, '')
  const names = mayBeName ? suggestKeys(openSlots(place, slot), key) : []
  const values = slot === undefined ? { items: [] } : await valuesFor(slot, typed, place)
  const ranked = slot === undefined ? [] : suggestValues(values, { place, hole, slot })
  // With nothing typed the names say what there is; what is typed is more likely a value, unless a name begins so.
  const items = typed === '' ? [...names, ...ranked] : [...startingWith(names, key), ...ranked, ...others(names, key)]
  return {
    from,
    to,
    ...cut(items, values.hasMore),
    ...(slot === undefined || parsed.kind === 'text' ? {} : { argument: hintOf(slot) }),
  }
}

interface Hole {
  readonly from: number
  readonly to: number
  /** The argument whose value goes here. */
  readonly slot: CommandArgument | undefined
  readonly typed: string
  /** What is typed may also be the beginning of `key=`. */
  readonly mayBeName: boolean
}

function findHole({ line, cursor, parsed, command }: ArgumentPlace): Hole | undefined {
  const { tokens } = parsed
  const { slots } = command.declare(parsed.firstWord)
  const slotNamed = (name: string | undefined) => slots.find((slot) => slot.name === name)
  const index = tokens.findIndex(({ kind, start, end }) => kind !== 'blank' && start < cursor && cursor <= end)
  const token = tokens[index]
  if (token === undefined) {
    const slot = slots.find((open) => !isGiven(parsed, open))
    const last = slot === undefined ? tokens.findLast(({ kind }) => kind !== 'blank') : undefined
    // A blank after a value that takes the rest of the line is a part of it.
    if (last?.isVerbatim && cursor === line.length)
      return {
        from: last.start,
        to: cursor,
        slot: slotNamed(last.argument),
        typed: line.slice(last.start),
        mayBeName: false,
      }
    return { from: cursor, to: cursor, slot, typed: '', mayBeName: true }
  }
  if (token.kind === 'key') {
    if (cursor < token.end) return keyHole(line, token, cursor)
    const value = tokens[index + 1]
    const to = value?.kind === 'value' && value.start === cursor ? value.end : cursor
    return { from: cursor, to, slot: slotNamed(token.argument), typed: '', mayBeName: false }
  }
  if (token.kind === 'extra') return { ...keyHole(line, token, cursor), to: token.end }
  if (token.kind !== 'value') return undefined
  const isNamed = tokens[index - 1]?.kind === 'key'
  const typed = typedValue(line, token, cursor)
  const isWord = !/[\s"']/u.test(line.slice(token.start, token.end))
  return { from: token.start, to: token.end, slot: slotNamed(token.argument), typed, mayBeName: !isNamed && isWord }
}

function keyHole(line: string, { start, end }: Token, cursor: number): Hole {
  return { from: start, to: end, slot: undefined, typed: line.slice(start, cursor), mayBeName: true }
}

/** The value up to the cursor, without its opening quote. */
function typedValue(line: string, { start, isVerbatim = false }: Token, cursor: number): string {
  const before = line.slice(0, cursor)
  if (!isVerbatim) return readValue(before, start).text
  return isQuote(line.charAt(start)) ? readValue(before, start).text : before.slice(start)
}

function isGiven({ values, tokens, json = {} }: ParsedLine, { name }: Slot): boolean {
  return (
    values.has(name) ||
    Object.hasOwn(json, name) ||
    tokens.some(({ kind, argument }) => kind === 'key' && argument === name)
  )
}

/** The arguments that can still be named, also the one whose value may be no more than the start of its name. */
function openSlots({ parsed, command }: ArgumentPlace, here: CommandArgument | undefined) {
  return command
    .declare(parsed.firstWord)
    .slots.filter(
      (slot) => slot.isOfferedByName && (slot.isRepeatable || slot.name === here?.name || !isGiven(parsed, slot)),
    )
}

function suggestKeys(slots: readonly CommandArgument[], typed: string): readonly Suggestion[] {
  const ordered = slots.toSorted((a, b) => Number(b.required) - Number(a.required))
  return rank(ordered, typed, ({ name }) => name).map(({ item: { name, title, description, required }, ranges }) => {
    const detail = description ?? title
    return {
      key: `argument:${name}`,
      kind: 'argument',
      label: `${name}=`,
      insert: `${name}=`,
      isRequired: required,
      matches: ranges,
      ...(detail === undefined ? {} : { detail }),
    }
  })
}

function startingWith(items: readonly Suggestion[], typed: string): readonly Suggestion[] {
  return items.filter(({ label }) => label.startsWith(typed))
}

function others(items: readonly Suggestion[], typed: string): readonly Suggestion[] {
  return items.filter(({ label }) => !label.startsWith(typed))
}

/** Those that the argument names itself, else those that it can find out. */
export async function candidatesFor(
  slot: CommandArgument,
  typed: string,
  options: { readonly given: Readonly<Record<string, string>>; readonly signal?: AbortSignal | undefined },
): Promise<Candidates> {
  if (slot.choices !== undefined) {
    return {
      items: slot.choices.map(({ value, title }) => ({ value, ...(title === undefined ? {} : { detail: title }) })),
    }
  }
  return (await slot.complete?.(typed, options)) ?? { items: [] }
}

function valuesFor(slot: CommandArgument, typed: string, { parsed, signal }: ArgumentPlace): Promise<Candidates> {
  const others = [...parsed.values].filter(([name]) => name !== slot.name)
  const given = Object.fromEntries(others.map(([name, values]) => [name, values[0] ?? '']))
  return candidatesFor(slot, typed, { given, signal })
}

/** The candidates that fit what is typed. Where none does, a source that ranks by itself knows better. */
export function fitting({ items, isRanked = false }: Candidates, typed: string) {
  const ranked = rank(items, typed, ({ value }) => value)
  return ranked.length > 0 || !isRanked ? ranked : items.map((item) => ({ item, ranges: [] }))
}

interface ValuePlace {
  readonly place: ArgumentPlace
  readonly hole: Hole
  readonly slot: CommandArgument
}

function suggestValues(candidates: Candidates, at: ValuePlace): readonly Suggestion[] {
  const shown = fitting(candidates, at.hole.typed).slice(0, mostSuggestions + 1)
  return shown.map(({ item: { value, detail }, ranges }) => ({
    key: `value:${at.slot.name}:${value}`,
    kind: 'value',
    label: value,
    insert: insertOf(value, at),
    matches: ranges,
    ...(detail === undefined ? {} : { detail }),
  }))
}

/** The value as it has to be written here: as it is, if the whole line then means it, else in quotes. */
function insertOf(value: string, { place, hole, slot }: ValuePlace): string {
  const { line, parsed } = place
  const [before, after] = [line.slice(0, hole.from), line.slice(hole.to)]
  const then = isPlainWord(value) ? undefined : place.reparse(`${before}${value}${after}`)
  const isMeant = then === undefined || then.values.get(slot.name)?.includes(value) === true
  const isClean = (then?.problems.filter(isError).length ?? 0) <= parsed.problems.filter(isError).length
  const written = isMeant && isClean ? value : quoted(value)
  return after === '' && hasMore(parsed, slot) ? `${written} ` : written
}

/** A word that means itself in every place. */
function isPlainWord(value: string): boolean {
  return /^[\p{L}\p{N}_.,:/@+%][\p{L}\p{N}_.,:/@+%-]*$/u.test(value)
}

/** Whether something can follow the value of this argument. */
function hasMore(parsed: ParsedLine, { name, takesRest }: CommandArgument): boolean {
  const isFilled = (other: Slot) => other.name === name || isGiven(parsed, other)
  return takesRest === false || !parsed.declared.slots.every(isFilled)
}

function isError({ severity }: { readonly severity: string }): boolean {
  return severity === 'error'
}

function hintOf({ name, title, description, required }: CommandArgument): ArgumentHint {
  return { name: title ?? name, isRequired: required, ...(description === undefined ? {} : { description }) }
}
