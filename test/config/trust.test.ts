import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { decidedEntry, readTrust, recordDecisions, standingOf, type TrustDecision } from '../../src/config/trust.ts'
import { tempFolder } from './temp-folder.ts'

const projectFile = '/project/.mcp.json'
const entry = { command: 'npx', args: ['-y', 'a'], env: { A: '1', B: '2' } }

function decide(name: string, decision: TrustDecision['decision'] = 'trusted'): TrustDecision {
  return { projectFile, name, entry, decision }
}

test('nothing is trusted before a person has said so', async () => {
  await using folder = await tempFolder()

  const store = await readTrust(join(folder.path, 'trust.json'))

  expect(standingOf(store, projectFile, 'a', entry)).toBe('new')
  expect(await readdir(folder.path)).toEqual([])
})

test('a decision is remembered for that file, that name and that entry, in a file for its owner alone', async () => {
  await using folder = await tempFolder()
  const file = join(folder.path, 'state', 'trust.json')

  await recordDecisions(file, [decide('yes'), decide('no', 'refused')])
  const store = await readTrust(file)

  expect(standingOf(store, projectFile, 'yes', entry)).toBe('trusted')
  expect(standingOf(store, projectFile, 'no', entry)).toBe('refused')
  expect(standingOf(store, projectFile, 'other', entry)).toBe('new')
  expect(standingOf(store, '/clone/.mcp.json', 'yes', entry)).toBe('new')
  expect((await stat(file)).mode & 0o777).toBe(0o600)
})

test.each([
  ['command', { ...entry, command: 'sh' }],
  ['args', { ...entry, args: ['-y', 'b'] }],
  ['the order of args', { ...entry, args: ['a', '-y'] }],
  ['env', { ...entry, env: { A: '1', B: '3' } }],
  ['cwd', { ...entry, cwd: '/' }],
  ['headers', { ...entry, headers: { X: 'y' } }],
  ['alwaysAllow', { ...entry, alwaysAllow: ['*'] }],
  ['a field we do not know', { ...entry, future: true }],
])('a change of %s asks again, after a refusal as well', async (_what, changed) => {
  await using folder = await tempFolder()
  const file = join(folder.path, 'trust.json')
  await recordDecisions(file, [decide('yes'), decide('no', 'refused')])

  const store = await readTrust(file)

  expect(standingOf(store, projectFile, 'yes', changed)).toBe('changed')
  expect(standingOf(store, projectFile, 'no', changed)).toBe('changed')
  expect(decidedEntry(store, projectFile, 'yes')).toEqual(entry)
})

test('the order in which fields are written does not matter', async () => {
  await using folder = await tempFolder()
  const file = join(folder.path, 'trust.json')
  await recordDecisions(file, [decide('a')])

  const reordered = { env: { B: '2', A: '1' }, args: ['-y', 'a'], command: 'npx' }

  expect(standingOf(await readTrust(file), projectFile, 'a', reordered)).toBe('trusted')
})

test('a later decision replaces the earlier one and leaves the others', async () => {
  await using folder = await tempFolder()
  const file = join(folder.path, 'trust.json')
  await recordDecisions(file, [decide('a'), decide('b')])

  await recordDecisions(file, [decide('a', 'refused')])

  const store = await readTrust(file)
  expect(standingOf(store, projectFile, 'a', entry)).toBe('refused')
  expect(standingOf(store, projectFile, 'b', entry)).toBe('trusted')
})

test('decisions made at the same time are all kept', async () => {
  await using folder = await tempFolder()
  const file = join(folder.path, 'trust.json')
  const names = Array.from({ length: 12 }, (_, index) => `server-${index}`)

  await Promise.all(names.map((name) => recordDecisions(file, [decide(name)])))

  const store = await readTrust(file)
  expect(names.filter((name) => standingOf(store, projectFile, name, entry) !== 'trusted')).toEqual([])
})

test.each([
  ['cut off', '{"version":1,"projects":{"/pro'],
  ['empty', ''],
  ['of another shape', '{"version":99}'],
])('a store that is %s trusts nothing, is kept aside, and says so', async (_how, content) => {
  await using folder = await tempFolder()
  const file = join(folder.path, 'trust.json')
  await writeFile(file, content)

  const [store, again] = await Promise.all([readTrust(file), readTrust(file)])

  expect(standingOf(store, projectFile, 'a', entry)).toBe('new')
  expect([...store.warnings, ...again.warnings]).toHaveLength(1)
  const [kept = ''] = await readdir(folder.path)
  expect(kept).toMatch(/^trust\.json\.unreadable-/)
  expect(await readFile(join(folder.path, kept), 'utf8')).toBe(content)
})

test('a decision can be recorded over a store that cannot be read', async () => {
  await using folder = await tempFolder()
  const file = join(folder.path, 'trust.json')
  await writeFile(file, 'broken')

  await recordDecisions(file, [decide('a')])

  expect(standingOf(await readTrust(file), projectFile, 'a', entry)).toBe('trusted')
})

test('a record somebody spoiled is asked about again, without touching the others', async () => {
  await using folder = await tempFolder()
  const file = join(folder.path, 'trust.json')
  await recordDecisions(file, [decide('good')])
  const stored = JSON.parse(await readFile(file, 'utf8'))
  stored.projects[projectFile].bad = { decision: 'trusted' }
  await writeFile(file, JSON.stringify(stored))

  const store = await readTrust(file)

  expect(standingOf(store, projectFile, 'bad', entry)).toBe('new')
  expect(standingOf(store, projectFile, 'good', entry)).toBe('trusted')
})
