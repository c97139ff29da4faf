import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { applyProposal, openProposals, proposedName, type Proposal } from '../../src/prompts/proposals.ts'
import { tempFolder } from '../config/temp-folder.ts'
import { promptOf } from './makers.ts'
import { testLibrary } from './server/makers.ts'

function put(name: string, text = 'x', from = 0): Proposal {
  const at = new Date().toISOString()
  return { change: { kind: 'put', prompt: promptOf(name, text) }, at, by: 'agent', from }
}

const label: Proposal = {
  change: { kind: 'label', name: 'mine', label: 'production', revision: 1 },
  at: '2026-01-31T12:00:00Z',
  by: 'agent',
  from: 1,
}

test('what is proposed is there for every process, and gone when it is dropped', async () => {
  await using folder = await tempFolder()
  const file = join(folder.path, 'prompts', 'proposals.json')

  await openProposals(file).add([put('mine'), label])
  const seen = await openProposals(file).list()
  await openProposals(file).drop(seen)

  expect(seen.map(proposedName)).toEqual(['mine', 'mine'])
  expect(await openProposals(file).list()).toEqual([])
})

test('two that propose at once lose nothing', async () => {
  await using folder = await tempFolder()
  const file = join(folder.path, 'proposals.json')
  const names = Array.from({ length: 20 }, (_, index) => `p${index}`)

  await Promise.all(names.map((name) => openProposals(file).add([put(name)])))

  expect((await openProposals(file).list()).map(proposedName).toSorted()).toEqual(names.toSorted())
})

test('a newer proposal takes the place of the older, which can then not be dropped by mistake', async () => {
  await using folder = await tempFolder()
  const proposals = openProposals(join(folder.path, 'proposals.json'))
  const older: Proposal = { ...put('mine', 'one'), at: '2026-01-30T12:00:00Z' }
  await proposals.add([older])

  await proposals.add([put('mine', 'two')])
  await proposals.drop([older])

  expect(await proposals.list()).toMatchObject([{ change: { prompt: { messages: [{ content: { text: 'two' } }] } } }])
})

test('more than anybody would read is refused', async () => {
  await using folder = await tempFolder()
  const proposals = openProposals(join(folder.path, 'proposals.json'))
  const many = Array.from({ length: 1001 }, (_, index) => put(`p${index}`))

  await expect(proposals.add(many)).rejects.toMatchObject({ code: 'limit_exceeded' })
  expect(await proposals.list()).toEqual([])
})

test.each([
  ['no JSON', '{'],
  ['something else', '{"a": 1}'],
  ['a proposal without a change', '{"proposals": [{}]}'],
  ['one that does not say whose it is', '{"proposals": [{"change": {"kind": "remove", "name": "x"}}]}'],
  [
    'one of a kind nobody knows',
    '{"proposals": [{"change": {"kind": "x", "name": "x"}, "at": "", "by": "", "from": 0}]}',
  ],
  ['one without a name', '{"proposals": [{"change": {"kind": "remove"}, "at": "", "by": "", "from": 0}]}'],
])('a file that holds %s is an error that names it, and is left as it is', async (_, text) => {
  await using folder = await tempFolder()
  const file = join(folder.path, 'proposals.json')
  await writeFile(file, text)

  const adding = openProposals(file).add([put('mine')])

  await expect(adding).rejects.toMatchObject({ code: 'storage_failed', message: expect.stringContaining(file) })
  expect(await readFile(file, 'utf8')).toBe(text)
})

test('what was approved is done in the name of who proposed it, and only if the prompt is as it was seen', async () => {
  await using library = await testLibrary()
  const { store } = library
  const change = (made: Proposal['change']): Proposal => ({ ...label, change: made })

  await applyProposal(store, put('mine', 'one'), 0)
  await applyProposal(store, label, 1)
  const labelled = await store.get('mine')
  await applyProposal(store, change({ kind: 'unlabel', name: 'mine', label: 'production' }), 1)
  const late = applyProposal(store, put('mine', 'two'), 7)
  await expect(late).rejects.toMatchObject({ code: 'prompt_conflict' })
  await applyProposal(store, change({ kind: 'remove', name: 'mine' }), 1)

  expect(labelled).toMatchObject({ revision: 1, labels: { production: 1 } })
  expect(await store.has('mine')).toBe(false)
  expect((await store.history('mine')).map(({ by }) => by)).toEqual(['agent', 'agent'])
})
