import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { formatIds } from '../../../../src/prompts/formats/ids.ts'
import { shelf, type Shelf } from './shelf.ts'

async function withPrompts(): Promise<Shelf> {
  const own = await shelf()
  await own.library([
    'add',
    'greet',
    '--text',
    'Greet {{who}} in {{language}}.',
    '--tag',
    'talk',
    '--argument',
    'language=English: which one',
    '--title',
    'Greet somebody',
  ])
  await own.library(['add', 'bye', '--text', 'Say goodbye.', '--description', 'Ends a talk.'])
  return own
}

test.each(formatIds)('what is exported as %s and imported again is the same', async (format) => {
  await using own = await withPrompts()

  await own.library(['export', format, '--to', 'out'])
  const again = await own.json([
    'import',
    'out',
    ...(format === 'jsonl' || format === 'csv' ? ['--format', format] : []),
  ])

  expect(again).toMatchObject({ prompts: [{ change: 'same' }, { change: 'same' }], unusable: [] })
})

test('jsonl and csv go to stdout, or into the file that --to names', async () => {
  await using own = await withPrompts()

  const { printed } = await own.library(['export', 'jsonl', 'bye'])
  await own.library(['export', 'jsonl', 'bye', '--to', 'mine.jsonl'])

  expect(JSON.parse(printed)).toMatchObject({ name: 'bye' })
  expect(await own.read('project/mine.jsonl')).toBe(printed)
})

test('built-in prompts are exported by name alone', async () => {
  await using own = await withPrompts()

  expect(await own.json(['export', 'claude', '--to', 'out'])).toMatchObject({ prompts: 2 })
  expect(await own.json(['export', 'skill', 'code_review', '--to', 'skills'])).toMatchObject({
    prompts: 1,
    written: [join(own.path, 'project/skills/code-review/SKILL.md')],
    losses: [expect.stringContaining('{{#if …}}')],
  })
})

test('a file that says something else is not replaced without --force, and then none is written', async () => {
  await using own = await withPrompts()
  await own.write({ 'project/out/greet.md': 'Mine\n' })

  await expect(own.library(['export', 'claude', '--to', 'out'])).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining('greet.md is there already'),
  })
  await expect(readFile(join(own.path, 'project/out/bye.md'))).rejects.toMatchObject({ code: 'ENOENT' })
  await own.library(['export', 'claude', '--to', 'out', '--force'])
  expect(await own.read('project/out/greet.md')).toContain('Greet $who in $language.')
})

test('secrets in what is shared are named, masked, on stderr', async () => {
  await using own = await shelf()
  await own.library(['add', 'x', '--text', `Use ghp_${'a1B2'.repeat(9)}`])

  const { said } = await own.library(['export', 'jsonl'])

  expect(said).toContain('Warning: x: messages[0], line 1: ghp_**** looks like a secret.')
})

test.each([
  [['export'], { code: 'usage' }],
  [['export', 'word'], { code: 'usage', next: expect.stringContaining('jsonl') }],
  [['export', 'claude'], { code: 'usage', next: 'Write: capstan library export claude --to FOLDER' }],
  [['export', 'jsonl', 'nobody'], { code: 'prompt_unknown' }],
  [['export', 'jsonl', '--tag', 'nothing'], { code: 'prompt_unknown' }],
])('%j is refused', async (words, failure) => {
  await using own = await withPrompts()

  await expect(own.library(words)).rejects.toMatchObject(failure)
})
