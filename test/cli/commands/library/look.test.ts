import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { command as library } from '../../../../src/cli/commands/library.ts'
import { builtinPrompts } from '../../../../src/prompts/builtins.ts'
import { shelf, type Shelf } from './shelf.ts'

async function withPrompts(): Promise<Shelf> {
  const own = await shelf()
  await own.library([
    'add',
    'standup',
    '--text',
    'About {{topic}}',
    '--description',
    'Questions for the morning.',
    '--tag',
    'team/daily',
  ])
  await own.library(['add', 'retro', '--text', 'What was good?', '--title', 'Looking back', '--tag', 'team'])
  return own
}

test('list shows name, layer, tags and what each is for, also what replaces a built-in one', async () => {
  await using own = await withPrompts()
  await own.library(['add', 'code_review', '--text', 'Mine.', '--description', 'My own review.'])

  const { printed, code } = await own.library(['list'])

  expect(code).toBe(0)
  expect(printed).toMatch(/^standup +user +team\/daily +Questions for the morning\.$/m)
  expect(printed).toMatch(/^retro +user +team +Looking back$/m)
  expect(printed).toMatch(/^code_review +user \(over builtin\) +My own review\.$/m)
  expect(printed).toMatch(/^fix_bugs +builtin /m)
})

test.each([
  [
    ['--tag', 'team'],
    ['retro', 'standup'],
  ],
  [['--tag', 'team/daily'], ['standup']],
  [['--tag', 'team', '--tag', 'code'], []],
  [
    ['--any-tag', 'team/daily', '--any-tag', 'operations'],
    ['incident_response', 'standup'],
  ],
  [
    ['--layer', 'user'],
    ['retro', 'standup'],
  ],
  [['--layer', 'builtin'], builtinPrompts.map(({ name }) => name).toSorted()],
])('list %j gives %j', async (words, names) => {
  await using own = await withPrompts()

  expect(await own.json(['list', ...words])).toMatchObject({ prompts: names.map((name) => ({ name })) })
})

test('show prints a page for people, and the record for programs', async () => {
  await using own = await withPrompts()

  const { printed } = await own.library(['show', 'standup'])

  expect(printed).toContain('Questions for the morning.')
  expect(printed).toMatch(/^ {2}topic +required$/m)
  expect(printed).toMatch(/^\[user\]\nAbout \{\{topic\}\}$/m)
  expect(await own.json(['show', 'standup'])).toMatchObject({
    prompt: { name: 'standup', arguments: [{ name: 'topic', required: true }] },
    layer: 'user',
    revision: 1,
  })
})

test('show --render gives the bare text of one message, and several under their roles', async () => {
  await using own = await withPrompts()
  await own.write({ 'project/two.md': '---\nname: two\n---\nAsk.\n\n<!-- assistant -->\nAnswer.\n' })
  await own.library(['add', '--file', 'two.md'])

  expect((await own.library(['show', 'standup', '--render', 'topic=a b'])).printed).toBe('About a b\n')
  expect((await own.library(['show', 'standup', '--args', '{"topic": 3}'])).printed).toBe('About 3\n')
  expect((await own.library(['show', 'two', '--render'])).printed).toBe('[user]\nAsk.\n\n[assistant]\nAnswer.\n')
  expect(await own.json(['show', 'standup', '--render', 'topic=x'])).toMatchObject({
    messages: [{ role: 'user', content: { type: 'text', text: 'About x' } }],
  })
})

test('show --raw prints what add --file reads', async () => {
  await using own = await withPrompts()

  const { printed } = await own.library(['show', 'standup', '--raw'])
  await own.write({ 'project/copy.md': printed })
  await own.library(['add', 'copy', '--file', 'copy.md'])

  const copy = await own.json(['show', 'copy'])
  expect(copy).toMatchObject({
    prompt: { name: 'copy', description: 'Questions for the morning.', tags: ['team/daily'] },
  })
})

test('control characters of an imported prompt never reach the terminal', async () => {
  await using own = await shelf()
  await own.library([
    'add',
    'evil',
    '--text',
    'Red \u001B[31mtext\u001B]0;title\u0007',
    '--description',
    'A \u001B[2Jb',
  ])

  const shown = await Promise.all(
    [['list'], ['show', 'evil'], ['show', 'evil', '--render'], ['search', 'red']].map((words) => own.library(words)),
  )

  expect(shown.map(({ printed }) => printed).join('')).not.toContain('\u001B')
})

test('search forgives typing mistakes, and says where a hit is when the description does not', async () => {
  await using own = await withPrompts()

  expect((await own.library(['search', 'mornign'])).printed).toMatch(/^standup +Questions for the morning\./)
  expect((await own.library(['search', 'good', '--tag', 'team'])).printed).toContain('(content: What was good?)')
  expect(await own.json(['search', 'morning', '--limit', '1', '--field', 'description'])).toMatchObject({
    hits: [{ name: 'standup', matches: [{ field: 'description', context: expect.stringContaining('**morning**') }] }],
  })
})

test('finding nothing is an answer', async () => {
  await using own = await withPrompts()

  const { code, printed, said } = await own.library(['search', 'zzzzqqqq'])

  expect([code, printed]).toEqual([0, ''])
  expect(said).toContain('Nothing matches "zzzzqqqq"')
})

test.each([
  [['show'], { code: 'usage', next: 'Write: capstan library show NAME' }],
  [['show', 'standupp'], { code: 'prompt_unknown', message: expect.stringContaining('Closest: standup') }],
  [['show', 'standup', 'topic=x'], { code: 'usage', next: expect.stringContaining('--render topic=x') }],
  [
    ['show', 'standup', '--render'],
    { code: 'arguments_invalid', message: expect.stringContaining('"topic" is missing') },
  ],
  [
    ['show', 'standup', '--render', 'topc=x'],
    { code: 'arguments_invalid', message: expect.stringContaining('no argument "topc"') },
  ],
  [['show', 'standup', '--raw', '--render'], { code: 'usage' }],
  [['search'], { code: 'usage' }],
  [['search', 'x', '--limit', '0'], { code: 'usage' }],
  [['search', 'x', '--min-score', '2'], { code: 'usage' }],
  [['search', 'x', '--field', 'nose'], { code: 'usage', next: expect.stringContaining('title') }],
  [['list', '--layer', 'nowhere'], { code: 'usage', message: expect.stringContaining('builtin, user') }],
  [['list', '--force'], { code: 'usage', message: expect.stringContaining('does not take --force') }],
  [['lst'], { code: 'usage', next: 'Did you mean: capstan library list' }],
  [[], { code: 'usage', next: expect.stringContaining('list, show, search') }],
])('%j is refused with what to do instead', async (words, failure) => {
  await using own = await withPrompts()

  await expect(own.library(words)).rejects.toMatchObject(failure)
})

test('a name is found as people spell it elsewhere', async () => {
  await using own = await withPrompts()

  expect(await own.json(['show', 'Code-Review'])).toMatchObject({ prompt: { name: 'code_review' } })
})

test('--prompts-dir is stronger than the environment, which is stronger than the settings', async () => {
  await using own = await shelf()
  await own.write({ 'home/.config/capstan/config.toml': '[prompts]\ndir = "from-settings"\n' })
  const env = { CAPSTAN_PROMPTS_DIR: join(own.path, 'from-env') }
  const add = ['add', 'x', '--text', 'x', '--description', 'x']

  await own.library(add)
  await own.library(add, { env })
  await own.library([...add, '--prompts-dir', 'from-flag'], { env })

  const files = ['home/from-settings', 'from-env', 'project/from-flag'].map((folder) => readdir(join(own.path, folder)))
  expect(await Promise.all(files)).toEqual(Array.from({ length: 3 }, () => expect.arrayContaining(['user.jsonl'])))
})

test('every subcommand has help of its own, with examples and all of its flags', async () => {
  const { subcommands } = await import('../../../../src/cli/commands/library/subcommands.ts')

  for (const [word, { flags }] of Object.entries(subcommands)) {
    const text = await library.helpOn?.([word])
    expect(text?.help, word).toMatch(/Examples?\n {2}/)
    expect(
      flags.filter((flag) => !text?.help.includes(`--${flag}`)),
      word,
    ).toEqual([])
  }
})
