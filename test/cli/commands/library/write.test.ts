import { chmod, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CapstanError } from '../../../../src/errors.ts'
import { shelf, type Shelf } from './shelf.ts'

/** An editor that does to the file what the given code says; it gets the text and gives a new one. */
async function editor(own: Shelf, code: string): Promise<Readonly<Record<string, string>>> {
  const file = join(own.path, 'editor.mjs')
  await own.write({
    'editor.mjs': `#!/usr/bin/env node\nimport { readFileSync, writeFileSync } from 'node:fs'\nconst file = process.argv.at(-1)\nconst text = readFileSync(file, 'utf8')\nwriteFileSync(file, (${code})(text))\n`,
  })
  await chmod(file, 0o755)
  return { EDITOR: `'${process.execPath}' '${file}'` }
}

async function drafts(own: Shelf): Promise<readonly string[]> {
  return await readdir(join(own.path, 'home/.local/state/capstan/drafts')).catch(() => [])
}

test('add opens the editor with the fields to fill in, and saves what comes back', async () => {
  await using own = await shelf()
  const env = await editor(
    own,
    `(text) => text.replace('description: ""', 'description: For mornings').replace('arguments: []', 'arguments: [{name: who}]') + 'Hello {{who}}\\n'`,
  )

  const { printed, said } = await own.library(['add', 'hello'], { env })

  expect(printed).toBe('Added hello, revision 1, in the layer user.\n')
  expect(said).toBe('')
  expect(await own.json(['show', 'hello'])).toMatchObject({
    prompt: {
      description: 'For mornings',
      arguments: [{ name: 'who', required: false }],
      messages: [{ content: { text: 'Hello {{who}}' } }],
    },
  })
  expect(await drafts(own)).toEqual([])
})

test('an editor that leaves the text as it is adds nothing', async () => {
  await using own = await shelf()

  const { said, printed } = await own.library(['add', 'hello'], { env: await editor(own, '(text) => text') })

  expect([printed, said]).toEqual(['', 'Nothing was written, so nothing was added.\n'])
  expect(await drafts(own)).toEqual([])
})

test('edit shows the prompt as it is and saves the change as a revision', async () => {
  await using own = await shelf()
  await own.library(['add', 'hello', '--text', 'Hello {{who}}', '--description', 'Greets.'])
  const env = await editor(own, `(text) => text.replace('Hello', 'Good morning')`)

  const { printed } = await own.library(['edit', 'hello'], { env })

  expect(printed).toBe('Saved hello, revision 2, in the layer user.\n')
  expect((await own.library(['show', 'hello', '--render', 'who=Ada'])).printed).toBe('Good morning Ada\n')
})

test('edit of a built-in prompt makes a copy of it in the own layer', async () => {
  await using own = await shelf()
  const env = await editor(own, `(text) => text.replace('Review code', 'My review')`)

  const { printed } = await own.library(['edit', 'code_review'], { env })

  expect(printed).toBe('Saved code_review, revision 1, in the layer user. It stands in for the one of builtin.\n')
  expect(await own.json(['show', 'code_review'])).toMatchObject({ layer: 'user', prompt: { title: 'My review' } })
})

test.each([
  ['a field that does not exist', `(text) => text.replace('tags:', 'tagz:')`, '"tagz" is not a field'],
  ['YAML that is none', `(text) => text.replace('tags: []', 'tags: [a')`, /line \d+ is not YAML/],
  ['no text', `(text) => text.replace('Hello', '')`, 'neither messages nor steps'],
  ['another name', `(text) => text.replace('name: hello', 'name: other')`, 'capstan library rename hello other'],
  ['fields that are gone', `() => 'Only text'`, 'no lines "---"'],
])('%s is refused, and the text is kept where the error says', async (_, code, problem) => {
  await using own = await shelf()
  await own.library(['add', 'hello', '--text', 'Hello'])

  const failure: unknown = await own
    .library(['edit', 'hello'], { env: await editor(own, code) })
    .catch((error: unknown) => error)

  const [draft = ''] = await drafts(own)
  const file = join(own.path, 'home/.local/state/capstan/drafts', draft)
  expect(failure).toMatchObject({
    code: 'prompt_invalid',
    message: expect.stringContaining(`your text is kept in ${file}`),
    next: expect.stringContaining(`Then: capstan library edit hello --file ${file}`),
  })
  expect(saidBy(failure)).toMatch(problem)
  expect(await readFile(file, 'utf8')).not.toBe('')
  expect(await own.json(['show', 'hello'])).toMatchObject({ revision: 1 })
})

function saidBy(failure: unknown): string {
  return failure instanceof CapstanError ? `${failure.message} ${failure.next}` : String(failure)
}

test('a kept text can be taken up again with --file', async () => {
  await using own = await shelf()
  await own.library(['add', 'hello', '--text', 'Hello', '--description', 'Greets.'])
  const env = await editor(own, `(text) => text.replace('tags: []', 'tags: [a').replace('Hello', 'Hi')`)
  await own.library(['edit', 'hello'], { env }).catch(() => {})
  const draft = join('home/.local/state/capstan/drafts', (await drafts(own))[0] ?? '')
  await own.write({ [draft]: (await own.read(draft)).replace('tags: [a', 'tags: [a]') })

  await own.library(['edit', 'hello', '--file', join(own.path, draft)])

  expect(await own.json(['show', 'hello'])).toMatchObject({
    prompt: { tags: ['a'], messages: [{ content: { text: 'Hi' } }] },
  })
})

test('whoever was faster is not overwritten: the slower text is kept', async () => {
  await using own = await shelf()
  await own.library(['add', 'hello', '--text', 'Hello', '--description', 'Greets.'])
  const log = join(own.path, 'home/.local/share/capstan/prompts/user.jsonl')
  const faster = JSON.stringify({ name: 'hello', messages: [{ role: 'user', content: 'Faster' }] })
  const env = await editor(
    own,
    `(text) => { writeFileSync(${JSON.stringify(log)}, ${JSON.stringify(`${faster}\n`)}, { flag: 'a' }); return text.replace('Hello', 'Slower') }`,
  )

  const editing = own.library(['edit', 'hello'], { env })

  await expect(editing).rejects.toMatchObject({
    code: 'prompt_conflict',
    message: expect.stringContaining('your text is kept in'),
  })
  expect((await own.library(['show', 'hello', '--render'])).printed).toBe('Faster\n')
  expect(await drafts(own)).toHaveLength(1)
})

test('a person can mend a mistake at once', async () => {
  await using own = await shelf()
  await own.library(['add', 'hello', '--text', 'Hello', '--description', 'Greets.'])
  const env = await editor(
    own,
    `(text) => text.includes('tagz') ? text.replace('tagz', 'tags') : text.replace('tags', 'tagz').replace('Hello', 'Hi')`,
  )

  const { printed, said } = await own.library(['edit', 'hello'], { env, isAtTerminal: true, types: 'yes\n' })

  expect(said).toContain('"tagz" is not a field of a prompt')
  expect(said).toContain('Edit it again?')
  expect(printed).toBe('Saved hello, revision 2, in the layer user.\n')
  expect(await drafts(own)).toEqual([])
})

test('an editor that fails changes nothing', async () => {
  await using own = await shelf()
  await own.library(['add', 'hello', '--text', 'Hello'])

  await expect(own.library(['edit', 'hello'], { env: { EDITOR: 'false' } })).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining('ended with code 1'),
  })
  expect(await drafts(own)).toEqual([])
})

test('without a text, an editor or a terminal it says what to give', async () => {
  await using own = await shelf()

  await expect(own.library(['add', 'hello'])).rejects.toMatchObject({
    code: 'usage',
    next: expect.stringContaining('--text'),
  })
})

test('a name that is taken is refused before the editor opens', async () => {
  await using own = await shelf()
  await own.library(['add', 'hello', '--text', 'Hello'])

  const adding = own.library(['add', 'hello'], { env: await editor(own, `() => { throw new Error('opened') }`) })

  await expect(adding).rejects.toMatchObject({ code: 'prompt_conflict', message: 'There is a prompt "hello" already.' })
  expect(await drafts(own)).toEqual([])
})

test('pictures survive an edit of the text beside them', async () => {
  await using own = await shelf()
  const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' }
  await own.write({
    'project/p.jsonl': JSON.stringify({
      name: 'look',
      messages: [
        { role: 'user', content: 'Look' },
        { role: 'user', content: image },
      ],
      meta: { claude: { model: 'x' } },
    }),
  })
  await own.library(['import', 'p.jsonl', '--yes'])

  await own.library(['edit', 'look'], { env: await editor(own, `(text) => text.replace('Look', 'See')`) })

  expect(await own.json(['show', 'look'])).toMatchObject({
    revision: 2,
    prompt: { messages: [{ content: { text: 'See' } }, { content: image }], meta: { claude: { model: 'x' } } },
  })
})

test('flags fill in the fields: arguments with defaults and descriptions, tags, title', async () => {
  await using own = await shelf()

  await own.library([
    'add',
    'review',
    '--text',
    'Look at {{focus}} in {{code}}',
    '--title',
    'Review',
    '--tag',
    'a',
    '--tag',
    'b/c',
    '--argument',
    'focus=security: what to look at',
    '--argument',
    'depth?',
  ])

  expect(await own.json(['show', 'review'])).toMatchObject({
    prompt: {
      title: 'Review',
      tags: ['a', 'b/c'],
      arguments: [
        { name: 'focus', description: 'what to look at', required: false, default: 'security' },
        { name: 'code', required: true },
        { name: 'depth', required: false },
      ],
    },
  })
})

test('a text comes from standard input, too, and a plain file is the text itself', async () => {
  await using own = await shelf()
  await own.write({ 'project/note.txt': 'Note {{this}}\n' })

  await own.library(['add', 'note', '--file', 'note.txt'])

  expect(await own.json(['show', 'note'])).toMatchObject({
    prompt: { arguments: [{ name: 'this' }], messages: [{ content: { text: 'Note {{this}}' } }] },
  })
})

test('what is doubtful is said when it is saved: braces, secrets, no description', async () => {
  await using own = await shelf()
  const key = `ghp_${'a1B2'.repeat(9)}`

  const { said } = await own.library(['add', 'x', '--text', `Use ${key}`, '--argument', 'unused?'])

  expect(said).toContain('arguments.unused')
  expect(said).toContain('description: there is none')
  expect(said).toContain('messages[0], line 1: ghp_**** looks like a secret')
  expect(said).not.toContain(key)
})

test.each([
  [
    ['add', 'Code Review'],
    { code: 'usage', next: 'For example: capstan library add code_review --title "Code Review"' },
  ],
  [['add', 'a', 'b'], { code: 'usage' }],
  [['add', '--text', 'x'], { code: 'usage', message: 'What shall it be called?' }],
  [
    ['add', 'hello', '--text', 'x'],
    { code: 'prompt_conflict', next: expect.stringContaining('capstan library edit hello') },
  ],
  [['add', 'y', '--text', 'x', '--file', 'x'], { code: 'usage' }],
  [['add', 'y', '--file', 'missing'], { code: 'usage', message: expect.stringContaining('missing cannot be read') }],
  [['add', 'y', '--text', 'x', '--argument', '='], { code: 'usage' }],
  [['add', 'y', '--text', 'x', '--layer', 'builtin'], { code: 'not_allowed' }],
  [['edit', 'nobody', '--text', 'x'], { code: 'prompt_unknown' }],
  [['edit'], { code: 'usage' }],
  [['rename', 'hello'], { code: 'usage' }],
  [['rename', 'hello', 'Not A Name'], { code: 'prompt_invalid' }],
  [['remove'], { code: 'usage' }],
  [['remove', 'hello', 'nobody'], { code: 'prompt_unknown' }],
])('%j is refused', async (words, failure) => {
  await using own = await shelf()
  await own.library(['add', 'hello', '--text', 'Hello'])

  await expect(own.library(words)).rejects.toMatchObject(failure)
  expect(await own.json(['show', 'hello'])).toMatchObject({ revision: 1 })
})
