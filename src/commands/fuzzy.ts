/** From `start` up to but without `end`, in a label. */
export interface Range {
  readonly start: number
  readonly end: number
}

export interface FuzzyMatch {
  /** Higher is better. */
  readonly score: number
  /** Where the letters were found, for highlighting. */
  readonly ranges: readonly Range[]
}

export interface Ranked<Item> {
  readonly item: Item
  readonly ranges: readonly Range[]
}

/** The items whose text has the letters of the query in it, the best first; equally good ones keep their order. */
export function rank<Item>(
  items: readonly Item[],
  query: string,
  textOf: (item: Item) => string,
): readonly Ranked<Item>[] {
  return items
    .flatMap((item) => {
      const match = fuzzyMatch(query, textOf(item))
      return match === undefined ? [] : [{ item, ...match }]
    })
    .toSorted((a, b) => b.score - a.score)
    .map(({ item, ranges }) => ({ item, ranges }))
}

/** How well a query fits: all of a text, its start, the start of a word in it, any part of it, its letters in order. */
export function fuzzyMatch(query: string, text: string): FuzzyMatch | undefined {
  if (query === '') return { score: 0, ranges: [] }
  const wanted = folded(query)
  const there = folded(text)
  if (wanted.length > there.length) return undefined
  const at = placeOf(wanted, there, text)
  if (at === undefined) return scattered(wanted, there, text)
  const ranges = [{ start: at, end: at + wanted.length }]
  // The shorter the text, the more of it was meant.
  const share = wanted.length / there.length
  if (at === 0) return { score: 400 + 50 * share, ranges }
  return { score: (startsWord(text, at) ? 300 : 200) + 50 * share, ranges }
}

/** Lower case; letters that change their length in it stay, because they would shift the ranges. */
function folded(text: string): string {
  const lower = text.toLowerCase()
  return lower.length === text.length ? lower : Array.from(text, foldedLetter).join('')
}

function foldedLetter(letter: string): string {
  const lower = letter.toLowerCase()
  return lower.length === letter.length ? lower : letter
}

/** The first place at the start of a word, else the first at all. */
function placeOf(wanted: string, there: string, text: string): number | undefined {
  let first: number | undefined
  for (let at = there.indexOf(wanted); at !== -1; at = there.indexOf(wanted, at + 1)) {
    if (startsWord(text, at)) return at
    first ??= at
  }
  return first
}

function startsWord(text: string, at: number): boolean {
  if (at === 0) return true
  const before = text.charAt(at - 1)
  return /[\s:./_@-]/u.test(before) || (/\p{Lu}/u.test(text.charAt(at)) && !/\p{Lu}/u.test(before))
}

/** The letters in order with others between them, as close together as they end. */
function scattered(wanted: string, there: string, text: string): FuzzyMatch | undefined {
  let end = 0
  for (const letter of wanted.split('')) {
    const at = there.indexOf(letter, end)
    if (at === -1) return undefined
    end = at + 1
  }
  const places: number[] = []
  let at = end
  for (const letter of wanted.split('').toReversed()) {
    at = there.lastIndexOf(letter, at - 1)
    places.unshift(at)
  }
  const starts = places.filter((place) => startsWord(text, place)).length
  const span = end - (places[0] ?? 0)
  return { score: (60 * starts) / wanted.length + (60 * wanted.length) / span, ranges: joined(places) }
}

function joined(places: readonly number[]): readonly Range[] {
  const ranges: Range[] = []
  for (const place of places) {
    const last = ranges.at(-1)
    if (last?.end === place) ranges[ranges.length - 1] = { start: last.start, end: place + 1 }
    else ranges.push({ start: place, end: place + 1 })
  }
  return ranges
}
