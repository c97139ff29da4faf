import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { faults } from './faults.ts'
import { gatewayRow } from './gateway-faults.ts'

const text = readFileSync('docs/reliability.md', 'utf8')

test('docs/reliability.md has a row for every fault, with the promise that the suite holds', () => {
  const rows = Array.from(text.matchAll(/^\| (\d+) \| (.+?) \| (.+?) \| .+ \|$/gm), (row) => row.slice(1, 4))

  expect(rows).toEqual(faults.map(({ id, fault, promise }) => [String(id), fault, promise]))
})

test('docs/reliability.md has a row for every fault through the gateway, with the promise that the suite holds', () => {
  const rows = Array.from(text.matchAll(/^\| (\d+) \| ([^|]+) \| [^|]+ \|$/gm), (row) => row.slice(1, 3))

  expect(rows).toEqual(faults.map(({ id }) => [String(id), gatewayRow(id)]))
})

test('docs/reliability.md names only tests that exist', () => {
  const named = Array.from(text.matchAll(/`(test\/[\w./-]+)`/g), ([, path]) => path ?? '')

  expect(named.length).toBeGreaterThan(10)
  expect(named.filter((path) => !existsSync(path))).toEqual([])
})

test('there are twenty faults, each with a number of its own', () => {
  expect(faults.map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1))
})
