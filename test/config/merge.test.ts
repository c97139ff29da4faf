import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mergeLayers, type LayerEntries } from '../../src/config/merge.ts'

const user = { layer: 'user', file: '/u' } as const
const second = { layer: 'user', file: '/u2' } as const
const project = { layer: 'project', file: '/p' } as const
const layer = (origin: LayerEntries['origin'], entries: Record<string, unknown>): LayerEntries => ({
  origin,
  entries: new Map(Object.entries(entries)),
})

test('a stronger layer replaces the whole entry and remembers what it replaced', () => {
  const merged = mergeLayers([
    layer(user, { a: { command: 'x', env: { SECRET: '1' } } }),
    layer(project, { a: { command: 'y' } }),
  ])

  expect(merged).toEqual([
    {
      name: 'a',
      raw: { command: 'y' },
      origin: project,
      shadows: [{ raw: { command: 'x', env: { SECRET: '1' } }, origin: user }],
    },
  ])
})

test('entries of different names stand beside each other in the order of their names', () => {
  const merged = mergeLayers([layer(user, { c: 1, a: 2 }), layer(project, { b: 3, B: 4 })])

  expect(merged.map(({ name, raw, shadows }) => [name, raw, shadows])).toEqual([
    ['B', 4, []],
    ['a', 2, []],
    ['b', 3, []],
    ['c', 1, []],
  ])
})

test('what is replaced twice is remembered twice, the strongest first', () => {
  const [merged] = mergeLayers([layer(user, { a: 1 }), layer(second, { a: 2 }), layer(project, { a: 3 })])

  expect(merged).toMatchObject({
    raw: 3,
    shadows: [
      { raw: 2, origin: second },
      { raw: 1, origin: user },
    ],
  })
})

test('each name has exactly the entry of the last layer that has it', () => {
  const names = fc.constantFrom<string[]>('a', 'b', 'c', '__proto__', 'constructor')
  const layers = fc.array(fc.array(fc.tuple(names, fc.nat())).map((pairs) => new Map(pairs)))
  fc.assert(
    fc.property(layers, (maps) => {
      const merged = mergeLayers(maps.map((entries) => ({ origin: user, entries })))

      const expected = new Map(maps.flatMap((entries) => [...entries]))
      expect(new Map(merged.map(({ name, raw }) => [name, raw]))).toEqual(expected)
      for (const { name, shadows } of merged) {
        expect(shadows).toHaveLength(maps.filter((entries) => entries.has(name)).length - 1)
      }
    }),
  )
})
