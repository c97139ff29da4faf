import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fuzzyMatch, rank } from '../../src/commands/fuzzy.ts'

test.each<[query: string, texts: readonly string[], expected: readonly string[]]>([
  ['', ['b', 'a'], ['b', 'a']],
  ['help', ['git:help', 'help', 'whelp'], ['help', 'git:help', 'whelp']],
  ['rev', ['prevent', 'git:review', 'rev'], ['rev', 'git:review', 'prevent']],
  ['gc', ['magic', 'git:commit', 'xyz'], ['git:commit', 'magic']],
  ['gC', ['getContent', 'magic'], ['getContent', 'magic']],
  ['é', ['Été', 'ete'], ['Été']],
])('%j ranks %j as %j', (query, texts, expected) => {
  expect(rank(texts, query, (text) => text).map(({ item }) => item)).toEqual(expected)
})

test('what is found are the letters of the query, in order', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'B', ':', '-', 'é', 'İ', '😀') })
  fc.assert(
    fc.property(text, text, (query, there) => {
      const match = fuzzyMatch(query, there)
      const found = match?.ranges.map(({ start, end }) => there.slice(start, end)).join('')
      if (found !== undefined) expect(found.toLowerCase()).toBe(query.toLowerCase())
      if (there.includes(query)) expect(match).toBeDefined()
    }),
    { numRuns: 2000 },
  )
})
