import { expect, test } from 'vitest'
import { shelf, type Shelf } from './shelf.ts'

/** `hello` with three revisions: one, two, three. */
async function withRevisions(): Promise<Shelf> {
  const own = await shelf()
  await own.library(['add', 'hello', '--text', 'one', '--description', 'Counts.'])
  await own.library(['edit', 'hello', '--text', 'two'])
  await own.library(['edit', 'hello', '--text', 'three'])
  return own
}

async function textOf(own: Shelf, ...words: readonly string[]): Promise<string> {
  return (await own.library(['show', 'hello', '--render', ...words])).printed.trim()
}

test('history lists the revisions, the newest first, with labels and how much changed', async () => {
  await using own = await withRevisions()
  await own.library(['label', 'hello', 'production', '--revision', '2'])

  const { printed } = await own.library(['history', 'hello'])

  expect(printed.split('\n').slice(0, 3)).toEqual([
    expect.stringMatching(/^3 .* \+1 -1 +capstan$/),
    expect.stringMatching(/^2 .* production +\+1 -1 +capstan$/),
    expect.stringMatching(/^1 .* added +capstan$/),
  ])
  expect(await own.json(['history', 'hello'])).toMatchObject({
    revisions: [{ revision: 3 }, { revision: 2, labels: ['production'] }, { revision: 1, prompt: { name: 'hello' } }],
  })
})

test.each([
  [[], 2, 3],
  [['1'], 1, 3],
  [['1', '2'], 1, 2],
  [['production'], 1, 3],
])('diff %j compares revisions %i and %i', async (words, from, to) => {
  await using own = await withRevisions()
  await own.library(['label', 'hello', 'production', '--revision', '1'])
  const texts = ['', 'one', 'two', 'three']

  const { printed } = await own.library(['diff', 'hello', ...words])

  expect(printed).toContain(`- ${texts[from]}\n+ ${texts[to]}\n`)
  expect(await own.json(['diff', 'hello', ...words])).toMatchObject({ from, to })
})

test('a difference between equal revisions is none', async () => {
  await using own = await withRevisions()

  expect(await own.library(['diff', 'hello', '2', '2'])).toEqual({
    code: 0,
    printed: '',
    said: 'There is no difference.\n',
  })
})

test('restore makes an old revision a new one', async () => {
  await using own = await withRevisions()

  const { printed } = await own.library(['restore', 'hello', '1'])

  expect(printed).toBe('hello is again as it was at revision 1; that is revision 4.\n')
  expect(await textOf(own)).toBe('one')
})

test('a removed prompt still has its history, and comes back', async () => {
  await using own = await withRevisions()

  const { printed } = await own.library(['remove', 'hello'])
  await expect(own.library(['show', 'hello'])).rejects.toMatchObject({
    code: 'prompt_unknown',
    message: expect.stringContaining('It was removed'),
  })
  expect(printed).toContain('To bring it back: capstan library restore hello 3')
  expect((await own.library(['history', 'hello'])).printed).toMatch(/^4 .* removed/)

  await own.library(['restore', 'hello', '3'])
  expect(await textOf(own)).toBe('three')
})

test('removing what stands before a built-in prompt brings that back', async () => {
  await using own = await shelf()
  await own.library(['add', 'code_review', '--text', 'Mine'])

  const { said } = await own.library(['remove', 'code_review'])

  expect(said).toContain('The code_review of the layer builtin is in force now.')
  await expect(own.library(['remove', 'code_review'])).rejects.toMatchObject({ code: 'not_allowed' })
})

test('a label stays where it is while the prompt goes on, moves, and can be taken away', async () => {
  await using own = await withRevisions()

  await own.library(['label', 'hello', 'production', '--revision', '1'])
  expect(await textOf(own, '--at', 'production')).toBe('one')
  const { printed } = await own.library(['label', 'hello', 'production'])
  expect(printed).toBe('production points to revision 3 of hello.\n')
  expect(await textOf(own, '--at', 'production')).toBe('three')
  await own.library(['label', 'hello', 'production', '--remove'])
  await expect(own.library(['show', 'hello', '--at', 'production'])).rejects.toMatchObject({ code: 'prompt_unknown' })
})

test('a rename takes history and labels along, and the old name says where it went', async () => {
  await using own = await withRevisions()
  await own.library(['label', 'hello', 'production', '--revision', '1'])

  const { printed } = await own.library(['rename', 'hello', 'greeting'])

  expect(printed).toBe('Renamed hello to greeting.\n')
  expect(await own.json(['show', 'greeting', '--at', 'production'])).toMatchObject({
    prompt: { messages: [{ content: { text: 'one' } }] },
  })
  await expect(own.library(['show', 'hello'])).rejects.toMatchObject({ message: expect.stringContaining('greeting') })
})

test.each([
  [['diff'], { code: 'usage' }],
  [['diff', 'hello', '9'], { code: 'prompt_unknown', message: expect.stringContaining('There are: 3, 2, 1') }],
  [['restore', 'hello'], { code: 'usage' }],
  [['restore', 'hello', '9'], { code: 'prompt_unknown' }],
  [['label', 'hello'], { code: 'usage' }],
  [['label', 'hello', 'Not A Label'], { code: 'prompt_invalid' }],
  [['label', 'hello', 'x', '--revision', 'no'], { code: 'usage' }],
  [['history'], { code: 'usage' }],
  [['history', 'nobody'], { code: 'prompt_unknown' }],
])('%j is refused', async (words, failure) => {
  await using own = await withRevisions()

  await expect(own.library(words)).rejects.toMatchObject(failure)
})
