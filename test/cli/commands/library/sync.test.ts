import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { shelf, type Shelf } from './shelf.ts'

async function withPrompts(): Promise<Shelf> {
  const own = await shelf()
  await own.library([
    'add',
    'greet',
    '--text',
    'Greet {{who}} in {{language}}.',
    '--description',
    'Greets.',
    '--argument',
    'language=English',
  ])
  await own.library(['add', 'say_bye', '--text', 'Say goodbye to {{who}}.', '--description', 'Ends.'])
  return own
}

const commands = 'home/.claude/commands'

async function filesIn(own: Shelf, folder: string): Promise<readonly string[]> {
  const names: readonly string[] = await readdir(join(own.path, folder)).catch(() => [])
  return names.toSorted()
}

test.each([
  [
    'claude-code',
    commands,
    '.md',
    ['argument-hint: <who> [language]', 'Greet $who in $language.', 'language is "English"'],
  ],
  ['codex', 'home/.codex/prompts', '.md', ['Greet $1 in $2.']],
  ['cursor', 'home/.cursor/commands', '.md', ['Greet [who] in [language].', '- [who]']],
  ['gemini', 'home/.gemini/commands', '.toml', ['description = "Greets."', 'Greet [who] in [language].', '{{args}}']],
  ['opencode', 'home/.config/opencode/commands', '.md', ['Greet $1 in $2.']],
  ['vscode', 'home/.config/Code/User/prompts', '.prompt.md', ['Greet ${input:who} in ${input:language}.']],
])('%s gets its own kind of files in its own folder', async (client, folder, ending, parts) => {
  await using own = await withPrompts()

  await own.library(['sync', client])

  expect(await filesIn(own, folder)).toEqual([`greet${ending}`, `say-bye${ending}`])
  const text = await own.read(`${folder}/greet${ending}`)
  expect(parts.filter((part) => !text.includes(part))).toEqual([])
})

test('a second sync writes what changed, removes what is gone, and says so', async () => {
  await using own = await withPrompts()
  await own.library(['sync', 'claude-code'])
  await own.library(['edit', 'greet', '--text', 'Hello {{who}}, {{language}}.'])
  await own.library(['remove', 'say_bye'])

  const { printed } = await own.library(['sync', 'claude-code'])

  expect(printed).toMatch(/written +greet\.md\n +removed +say-bye\.md\n.*: 1 written, 0 unchanged, 1 removed\.\n/)
  expect(await filesIn(own, commands)).toEqual(['greet.md'])
})

test('files of others are neither replaced nor removed', async () => {
  await using own = await withPrompts()
  await own.write({ [`${commands}/greet.md`]: 'Mine', [`${commands}/other.md`]: 'Mine too' })

  const { printed } = await own.library(['sync', 'claude-code'])
  await own.library(['sync', 'claude-code', '--remove'])

  expect(printed).toContain('foreign  greet.md    not made by Capstan; left alone')
  expect(await filesIn(own, commands)).toEqual(['greet.md', 'other.md'])
  expect(await own.read(`${commands}/greet.md`)).toBe('Mine')
})

test('a file that a person has changed since is left alone, also by --remove', async () => {
  await using own = await withPrompts()
  await own.library(['sync', 'claude-code'])
  await writeFile(join(own.path, commands, 'greet.md'), 'Changed by hand')

  const { printed } = await own.library(['sync', 'claude-code', '--remove'])

  expect(printed).toMatch(/removed +say-bye\.md/)
  expect(printed).toMatch(/edited +greet\.md +changed since Capstan wrote it/)
  expect(await filesIn(own, commands)).toEqual(['greet.md'])
})

test('without the manifest nothing of what is there counts as ours, unless it says the same', async () => {
  await using own = await withPrompts()
  await own.library(['sync', 'claude-code'])
  await rm(join(own.path, 'home/.local/state/capstan/library-sync'), { recursive: true })
  await own.library(['edit', 'greet', '--text', 'New {{who}} {{language}}'])

  expect(await own.json(['sync', 'claude-code'])).toMatchObject({
    files: [
      { path: 'greet.md', action: 'foreign' },
      { path: 'say-bye.md', action: 'unchanged' },
    ],
  })
})

test('a manifest cannot make us remove files outside of the folder', async () => {
  await using own = await withPrompts()
  await own.library(['sync', 'claude-code'])
  const folder = 'home/.local/state/capstan/library-sync'
  const [name = ''] = await filesIn(own, folder)
  const manifest = JSON.parse(await own.read(`${folder}/${name}`)) as { files: Record<string, string> }
  await own.write({
    'home/precious.md': 'x',
    [`${folder}/${name}`]: JSON.stringify({
      files: {
        ...manifest.files,
        '../../precious.md': '2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881',
      },
    }),
  })

  await own.library(['sync', 'claude-code', '--remove'])

  expect(await own.read('home/precious.md')).toBe('x')
})

test('names and tags choose what is there afterwards', async () => {
  await using own = await withPrompts()
  await own.library(['sync', 'claude-code'])

  await own.library(['sync', 'claude-code', 'greet', 'code_review'])

  expect(await filesIn(own, commands)).toEqual(['code-review.md', 'greet.md'])
})

test('blocks are said in words, and inclusions stand in the text', async () => {
  await using own = await withPrompts()
  await own.write({
    'project/p.md':
      '---\nname: plus\ndescription: x\ntemplate: plus\narguments:\n  - name: who\n    required: false\n---\n{{#if who}}Greet {{who}}.{{else}}Greet all.{{/if}}\n\n{{> say_bye}}\n',
  })
  await own.library(['add', '--file', 'p.md'])

  await own.library(['sync', 'claude-code', 'plus'])

  expect(await own.read(`${commands}/plus.md`)).toContain(
    '[If who is given: Greet $ARGUMENTS.] [If who is not given: Greet all.]\n\nSay goodbye to $ARGUMENTS.\n',
  )
})

test('what must be given comes first: whoever types one word means that', async () => {
  await using own = await shelf()
  await own.library([
    'add',
    'x',
    '--text',
    'Look at {{focus}} in {{code}}',
    '--argument',
    'focus?',
    '--argument',
    'code',
  ])
  await own.library(['edit', 'x', '--argument', 'focus?'])

  await own.library(['sync', 'codex'])

  expect(await own.read('home/.codex/prompts/x.md')).toBe(
    '---\nargument-hint: <code> [focus]\n---\n\nLook at $2 in $1\n',
  )
})

test('--dry-run touches nothing, and --project writes into the project', async () => {
  await using own = await withPrompts()

  const { printed } = await own.library(['sync', 'claude-code', '--project', '--dry-run'])
  expect(printed).toContain('2 written, 0 unchanged, 0 removed (nothing was done).')
  expect(await filesIn(own, 'project/.claude/commands')).toEqual([])
  await own.library(['sync', 'claude-code', '--project'])
  expect(await filesIn(own, 'project/.claude/commands')).toEqual(['greet.md', 'say-bye.md'])
})

test('a text that the client would run is written only when it is named', async () => {
  await using own = await withPrompts()
  await own.library(['add', 'runs', '--text', 'Status: !`rm -rf .`'])

  const { said } = await own.library(['sync', 'claude-code'])

  expect(said).toContain('Left out: runs. Claude Code would run a command in its text')
  expect(await filesIn(own, commands)).not.toContain('runs.md')
  await own.library(['sync', 'claude-code', 'runs'])
  expect(await filesIn(own, commands)).toContain('runs.md')
})

test.each([
  [['sync'], { code: 'usage', next: expect.stringContaining('claude-code') }],
  [['sync', 'emacs'], { code: 'usage' }],
  [['sync', 'codex', '--project'], { code: 'usage', message: 'Codex has no slash commands of a project.' }],
  [['sync', 'cursor', 'nobody'], { code: 'prompt_unknown' }],
])('%j is refused', async (words, failure) => {
  await using own = await withPrompts()

  await expect(own.library(words)).rejects.toMatchObject(failure)
})
