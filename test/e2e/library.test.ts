import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { world, type World } from './cli.ts'

/** Writes an editor that appends a text to the file it is given, and counts how often it ran. */
async function editorIn(home: World, text: string): Promise<Readonly<Record<string, string>>> {
  await home.write({ '~/editor.sh': `printf '%s' "$EDITOR_TEXT" >> "$1"\nprintf x >> "$HOME/ran"\n` })
  return { EDITOR: `sh "${join(home.home, 'editor.sh')}"`, EDITOR_TEXT: text }
}

test('a newcomer adds, finds, changes and rolls back a prompt', async () => {
  await using home = await world()

  const added = await home.capstan(['library', 'add', 'hello'], { env: await editorIn(home, 'Hello, world.\n') })
  const found = await home.capstan(['library', 'search', 'hello', 'wrld', '--limit', '1'])
  const edited = await home.capstan(['library', 'edit', 'hello'], { env: await editorIn(home, 'And all others.\n') })
  const shown = await home.capstan(['prompts', 'show', 'hello', '--render'])
  const restored = await home.capstan(['library', 'restore', 'hello', '1'])
  const again = await home.capstan(['library', 'show', 'hello', '--render'])

  expect([added, found, edited, shown, restored, again].map(({ code }) => code)).toEqual([0, 0, 0, 0, 0, 0])
  expect(added.stdout).toBe('Added hello, revision 1, in the layer user.\n')
  expect(found.stdout).toMatch(/^hello/)
  expect(shown.stdout).toBe('Hello, world.\nAnd all others.\n')
  expect(again.stdout).toBe('Hello, world.\n')
})

test('an edit that cannot be saved ends with exit code 2, and the text is where the message says', async () => {
  await using home = await world()
  await home.capstan(['library', 'add', 'hello', '--text', 'Hello'])

  const outcome = await home.capstan(['library', 'edit', 'hello', '--json'], {
    env: await editorIn(home, '\n<!-- user -->\n[[message 9: image image/png]]\n'),
  })

  expect(outcome.code).toBe(2)
  const { error } = JSON.parse(outcome.stdout) as { error: { code: string; message: string } }
  expect(error.code).toBe('prompt_invalid')
  const [, file = ''] = /kept in (\S+\.md)\.$/.exec(error.message) ?? []
  expect(existsSync(file)).toBe(true)
})

test('no library command starts a daemon or reads the servers', async () => {
  await using home = await world()
  await home.write({ '.mcp.json': 'this is no JSON' })

  const outcome = await home.capstan(['library', 'list'], { env: { CAPSTAN_DAEMON: 'on' } })

  expect(outcome).toMatchObject({ code: 0, stderr: '' })
  expect(readdirSync(join(home.home, '.local')).filter((name) => name !== 'share')).toEqual([])
})

test('a library that cannot be written is a failure that names the file', async () => {
  await using home = await world()
  await home.write({ '~/blocked': 'a file where a folder should be' })

  const outcome = await home.capstan([
    'library',
    'add',
    'x',
    '--text',
    'x',
    '--prompts-dir',
    join(home.home, 'blocked'),
  ])

  expect(outcome.code).toBe(1)
  expect(outcome.stderr).toContain('blocked')
})

test('help knows the commands of the library', async () => {
  await using home = await world()

  const [whole, one, flag] = await Promise.all([
    home.capstan(['help', 'library']),
    home.capstan(['help', 'library', 'import']),
    home.capstan(['library', 'import', '--help']),
  ])

  expect(whole.stdout).toMatch(/^ {2}sync CLIENT/m)
  expect(one.stdout).toMatch(/^capstan library import SOURCE: /)
  expect(flag.stdout).toBe(one.stdout)
})
