import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { shelf, type Shelf } from './shelf.ts'

const review = '---\ndescription: Reviews a change\nargument-hint: <change>\n---\nReview $ARGUMENTS.\n'

async function withCommands(): Promise<Shelf> {
  const own = await shelf()
  await own.write({ 'project/commands/git/review.md': review, 'project/commands/README.md': 'About these.' })
  return own
}

test('import shows what is new and saves it after a yes', async () => {
  await using own = await withCommands()

  const { printed, said } = await own.library(['import', 'commands'], { isAtTerminal: true, types: 'yes\n' })

  expect(printed).toBe(
    '1 prompt: 1 new, 0 changed, 0 the same.\n  new  review  commands/git/review.md\n1 Markdown file left alone, such as commands/README.md. If they are prompts: --format claude\nSaved 1 prompt in the layer user.\n',
  )
  expect(said).toContain('Save 1 prompt?')
  expect(await own.json(['show', 'review'])).toMatchObject({
    prompt: { tags: ['git'], arguments: [{ name: 'change', required: true }] },
  })
})

test.each([
  ['no', { isAtTerminal: true, types: 'no\n' }, []],
  ['nobody to ask', {}, []],
  ['--dry-run', {}, ['--dry-run', '--yes']],
])('%s saves nothing', async (_, options, flags) => {
  await using own = await withCommands()

  const { printed, code } = await own.library(['import', 'commands', ...flags], options)

  expect(code).toBe(0)
  expect(printed).toContain('Nothing was saved.')
  await expect(own.library(['show', 'review'])).rejects.toMatchObject({ code: 'prompt_unknown' })
})

test('a second import shows the difference, and changes nothing where there is none', async () => {
  await using own = await withCommands()
  await own.library(['import', 'commands', '--yes'])

  expect((await own.library(['import', 'commands', '--yes'])).printed).toContain('0 new, 0 changed, 1 the same.\n')
  await own.write({ 'project/commands/git/review.md': review.replace('Review $', 'Look at $') })
  const { printed } = await own.library(['import', 'commands', '--yes'])

  expect(printed).toContain('- Review {{change}}.\n+ Look at {{change}}.\n')
  expect(await own.json(['show', 'review'])).toMatchObject({ revision: 2 })
})

test('blanks at the ends of a text and other line ends are no change', async () => {
  await using own = await shelf()
  const line = (text: string) =>
    JSON.stringify({ name: 'x', description: 'x', messages: [{ role: 'user', content: text }] })
  await own.write({ 'project/a.jsonl': line('one\r\ntwo  \n\n'), 'project/b.jsonl': line('one\ntwo') })
  await own.library(['import', 'a.jsonl', '--yes'])

  expect(await own.json(['import', 'b.jsonl'])).toMatchObject({ prompts: [{ change: 'same' }] })
})

test('--new-only leaves the prompts alone that are there', async () => {
  await using own = await withCommands()
  await own.library(['add', 'review', '--text', 'Mine'])

  const { printed } = await own.library(['import', 'commands', '--yes', '--new-only'])

  expect(printed).toContain('There is nothing to save.')
  expect((await own.library(['show', 'review', '--render'])).printed).toBe('Mine\n')
})

test('secrets, mistakes, notes and unusable files are shown before anything is saved', async () => {
  await using own = await shelf()
  const key = `ghp_${'a1B2'.repeat(9)}`
  await own.write({
    'project/commands/a.md': `Use ${key} and {{who}}. !\`git status\``,
    'project/commands/empty.md': '---\ndescription: x\n---\n',
  })

  const { printed } = await own.library(['import', 'commands'])

  expect(printed).toContain('secret? a: messages[0], line 1: ghp_****')
  expect(printed).toContain('warning a: messages[0]: {{who}} stays as it is')
  expect(printed).toContain('note a: Claude Code runs !`git status`')
  expect(printed).toContain('left out commands/empty.md: it holds no text')
  expect(printed).toContain('1 prompt without a description')
  expect(printed).not.toContain(key)
})

test('prompts of several formats in one folder are all found, with names of their own', async () => {
  await using own = await withCommands()
  await own.write({
    'project/commands/review.prompt.md': 'Review ${input:what}.',
    'project/patterns/summarize/system.md': '# PURPOSE\n\nYou summarize.\n',
    'project/skills/pdf/SKILL.md': '---\nname: pdf\ndescription: Reads PDFs\n---\nRead it.',
    'project/prompts.csv': 'act,prompt\nPoet,Write a poem\n',
  })

  const found = await own.json(['import', '.', '--yes', '--tag', 'imported'])

  expect(found).toMatchObject({
    saved: ['review', 'review_2', 'summarize', 'poet', 'pdf'],
  })
  expect(await own.json(['list', '--tag', 'imported'])).toMatchObject({ prompts: { length: 5 } })
})

test('one file is taken for what its ending says, or for what --format says', async () => {
  await using own = await shelf()
  await own.write({ 'project/plain.md': 'Just text.', 'project/list.txt': 'act,prompt\nPoet,Write\n' })

  await own.library(['import', 'plain.md', '--yes'])

  expect((await own.library(['show', 'plain', '--render'])).printed).toBe('Just text.\n')
  await expect(own.library(['import', 'list.txt', '--yes'])).rejects.toMatchObject({
    code: 'usage',
    next: expect.stringContaining('--format'),
  })
})

test('a git repository is imported by its address', async () => {
  await using own = await withCommands()
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
      cwd: join(own.path, 'project'),
    })
  git('init', '-q')
  git('add', 'commands')
  git('commit', '-q', '-m', 'first')

  const { printed } = await own.library(['import', `file://${own.path}/project`, '--yes'], {
    env: { PATH: process.env['PATH'] ?? '' },
  })

  expect(printed).toContain('new  review  commands/git/review.md')
})

test('import into the project asks nobody to approve what the person has just written', async () => {
  await using own = await withCommands()

  await own.library(['import', 'commands', '--yes', '--layer', 'project'])

  expect(readFileSync(join(own.path, 'project/.capstan/prompts/prompts.jsonl'), 'utf8')).toContain('"review"')
  expect(await own.json(['show', 'review'])).toMatchObject({ layer: 'project' })
})

test.each([
  [['import'], { code: 'usage' }],
  [['import', 'a', 'b'], { code: 'usage' }],
  [['import', 'nowhere'], { code: 'usage', message: expect.stringContaining('no such file') }],
  [['import', 'commands', '--format', 'word'], { code: 'usage', next: expect.stringContaining('jsonl') }],
  [['import', 'docs'], { code: 'prompt_invalid', next: expect.stringContaining('--format claude') }],
  [['import', 'nameless.jsonl'], { code: 'prompt_invalid', message: expect.stringMatching(/is missing\.$/) }],
  [['import', 'commands', '--yes', '--layer', 'builtin'], { code: 'not_allowed' }],
])('%j is refused', async (words, failure) => {
  await using own = await withCommands()
  await own.write({ 'project/docs/guide.md': 'A guide.', 'project/nameless.jsonl': '{"messages":[]}\n' })

  await expect(own.library(words)).rejects.toMatchObject(failure)
})

/** Titles that clash, and titles of which no name can be made: a collection that people wrote has both. */
const madeCollection = (count: number): string =>
  Array.from({ length: count }, (_, index) => {
    const title = ['Code Reviewer', '代码审查', 'Résumé!', `Expert ${index}`][index % 4]
    return `"${title}","Act as ""${title}"", in case ${index}. My first request is {this}."`
  }).join('\n')

test('a large collection is imported whole: the one that CAPSTAN_BENCH_PROMPTS names, or else a made one', async () => {
  await using own = await shelf()
  await own.write({ 'project/made.csv': `act,prompt\n${madeCollection(1700)}\n` })
  const source = process.env['CAPSTAN_BENCH_PROMPTS'] ?? 'made.csv'

  const { printed } = await own.library(['import', source, '--yes'])

  expect(printed).toMatch(/Saved 1,7\d\d prompts/)
})
