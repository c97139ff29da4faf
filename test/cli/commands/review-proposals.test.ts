import { join } from 'node:path'
import { expect, test } from 'vitest'
import { command as review } from '../../../src/cli/commands/review.ts'
import { openLibrary } from '../../../src/prompts/open-library.ts'
import { openProposals, type Proposal } from '../../../src/prompts/proposals.ts'
import { promptOf } from '../../prompts/makers.ts'
import { workbench } from '../workbench.ts'

async function withProposals(proposals: readonly Partial<Proposal>[]) {
  const bench = await workbench()
  const home = join(bench.path, 'home')
  const { store, proposalsFile } = openLibrary({ env: { HOME: home }, currentFolder: home })
  await store.put(promptOf('mine', 'one'))
  const whole = proposals.map((proposal) => ({ ...proposed, ...proposal }))
  await openProposals(proposalsFile).add(whole)
  return { ...bench, store, waiting: async () => await openProposals(proposalsFile).list() }
}

const proposed: Proposal = {
  change: { kind: 'put', prompt: promptOf('mine', 'two') },
  at: '2026-01-31T12:00:00Z',
  by: 'agent',
  from: 1,
}

test('what agents propose is shown with the difference, and waits', async () => {
  await using bench = await withProposals([{}])

  const { code, printed } = await bench.run(review, [])

  expect(code).toBe(5)
  expect(printed).toContain(
    'Agents propose these changes of your prompts:\n  prompts:mine: a change, by agent on 2026-01-31\n',
  )
  expect(printed).toMatch(/- one\n.*\+ two\n.*Next: capstan review prompts:mine, or with --decline/s)
  expect(await bench.waiting()).toHaveLength(1)
})

test('a name lets it happen, and the history says whose it was', async () => {
  await using bench = await withProposals([{}])

  const outcome = await bench.run(review, ['prompts:mine'])

  expect(outcome).toMatchObject({ code: 0, printed: 'Decided: prompts:mine.\n' })
  expect(await bench.store.get('mine')).toMatchObject({ revision: 2 })
  expect(await bench.store.history('mine')).toMatchObject([{ by: 'agent' }, {}])
})

test('--decline forgets it', async () => {
  await using bench = await withProposals([{}])

  expect(await bench.run(review, ['prompts:mine', '--decline'])).toMatchObject({ code: 0 })
  expect(await bench.waiting()).toEqual([])
  expect(await bench.store.get('mine')).toMatchObject({ revision: 1 })
})

test('--all means proposals too: new prompts, removals and labels', async () => {
  await using bench = await withProposals([
    { change: { kind: 'put', prompt: promptOf('fix_bugs', 'ours') }, from: 0 },
    { change: { kind: 'put', prompt: promptOf('brand_new') }, from: 0 },
    { change: { kind: 'label', name: 'mine', label: 'production', revision: 1 } },
  ])

  const before = await bench.run(review, [], { flags: { json: true } })
  const { code } = await bench.run(review, ['--all'])

  expect(JSON.parse(before.printed)).toMatchObject({
    proposals: [
      { name: 'prompts:fix_bugs', kind: 'put', by: 'agent' },
      {
        name: 'prompts:brand_new',
        lines: [expect.stringContaining('a new prompt'), '  + name: brand_new', '  +', '  + user:', expect.any(String)],
      },
      { name: 'prompts:mine', kind: 'label', lines: [expect.stringContaining('label production for revision 1')] },
    ],
  })
  expect(code).toBe(0)
  expect(await bench.store.get('fix_bugs')).toMatchObject({ layer: 'user' })
  expect(await bench.store.get('mine')).toMatchObject({ labels: { production: 1 } })
  expect(await bench.store.has('brand_new')).toBe(true)
})

test('a prompt that has changed since it was proposed is said to have, and the person decides on what they see', async () => {
  await using bench = await withProposals([{ change: { kind: 'remove', name: 'mine' } }])
  await bench.store.put(promptOf('mine', 'one and a half'))

  const { printed } = await bench.run(review, [])
  const { code } = await bench.run(review, ['prompts:mine'])

  expect(printed).toMatch(/its removal, by agent on 2026-01-31; the prompt has changed since\n[^]*- one and a half/)
  expect(code).toBe(0)
  expect(await bench.store.has('mine')).toBe(false)
})

test('what is invisible in a proposed prompt is shown', async () => {
  await using bench = await withProposals([{ change: { kind: 'put', prompt: promptOf('mine', 'do\u200Bthis') } }])

  const { printed } = await bench.run(review, [])

  expect(printed).not.toContain('\u200B')
  expect(printed).toMatch(/do.*200b.*this/i)
})

test('a person at a terminal is asked about each, and may leave one for later', async () => {
  await using bench = await withProposals([
    {},
    { change: { kind: 'put', prompt: promptOf('brand_new') }, from: 0 },
    { change: { kind: 'put', prompt: promptOf('other') }, from: 0 },
  ])

  const outcome = await bench.run(review, [], { isAtTerminal: true, types: 'yes\nno\nlater\n' })

  expect(outcome.code).toBe(5)
  expect(outcome.printed).toContain('Decided: prompts:mine, prompts:brand_new.')
  expect(await bench.store.get('mine')).toMatchObject({ revision: 2 })
  expect(await bench.store.has('brand_new')).toBe(false)
  expect(await bench.waiting()).toHaveLength(1)
})

test.each([
  ['a prompt that nobody proposed to change', ['prompts:min'], /No change of "prompts:min" waits\..*prompts:mine/],
  ['a server and a prompt in one command', ['prompts:mine', 'github'], /two commands/],
])('%s is refused', async (_, words, message) => {
  await using bench = await withProposals([{}])

  await expect(bench.run(review, words)).rejects.toThrow(message)
})
