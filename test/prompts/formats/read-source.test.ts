import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { mkdir, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readSource } from '../../../src/prompts/formats/read-source.ts'
import { tempFolder, type TempFolder } from '../../config/temp-folder.ts'

const env = { PATH: process.env['PATH'], HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' }

function read(folder: TempFolder, source: string) {
  return readSource(source, { currentFolder: folder.path, env })
}

function git(folder: string, ...args: readonly string[]): void {
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd: folder, env })
}

async function repository(folder: TempFolder): Promise<string> {
  await folder.write({ 'repo/commands/review.md': 'Review $1', 'repo/README.md': 'about', 'repo/picture.png': 'x' })
  const path = join(folder.path, 'repo')
  git(path, 'init', '-q', '-b', 'main')
  git(path, 'add', '.')
  git(path, 'commit', '-q', '-m', 'first')
  return path
}

test('a folder gives its text files in order, without what belongs to tools', async () => {
  await using folder = await tempFolder()
  await folder.write({ 'b.md': 'B', 'a/x.prompt.md': 'X', '.git/c.md': 'no', 'node_modules/d.md': 'no', 'e.png': 'no' })

  const { files, isOneFile } = await read(folder, '.')

  expect(files).toEqual([
    { path: 'a/x.prompt.md', text: 'X' },
    { path: 'b.md', text: 'B' },
  ])
  expect(isOneFile).toBe(false)
})

test('links are not followed: they may lead to anything', async () => {
  await using folder = await tempFolder()
  await folder.write({ 'secret.md': 'secret', 'in/a.md': 'A' })
  await symlink(join(folder.path, 'secret.md'), join(folder.path, 'in', 'link.md'))
  await symlink(folder.path, join(folder.path, 'in', 'up'))

  expect((await read(folder, 'in')).files.map(({ path }) => path)).toEqual(['a.md'])
})

test('a skill is read with the files beside it, also when its file is named', async () => {
  await using folder = await tempFolder()
  await folder.write({ 'pdf/SKILL.md': 'S', 'pdf/scripts/run.py': 'print(1)' })

  const whole = [
    { path: 'pdf/SKILL.md', text: 'S' },
    { path: 'pdf/scripts/run.py', text: 'print(1)' },
  ]
  expect((await read(folder, '.')).files).toEqual(whole)
  expect((await read(folder, 'pdf/SKILL.md')).files).toEqual(whole)
})

test('what is no text is named, not read', async () => {
  await using folder = await tempFolder()
  await folder.write({ 'odd.md': 'a\0b', 'a.md': 'A' })

  expect(await read(folder, '.')).toMatchObject({
    files: [{ path: 'a.md' }],
    unusable: [{ from: 'odd.md', reason: 'it is no text' }],
  })
})

test('a git repository is read by its address, and nothing is left behind', async () => {
  await using folder = await tempFolder()
  const path = await repository(folder)
  const clones = () => readdirSync(tmpdir()).filter((name) => name.startsWith('capstan-clone-'))
  const before = clones()

  const { files } = await read(folder, `file://${path}`)

  expect(files.map((file) => file.path)).toEqual(['README.md', 'commands/review.md'])
  expect(clones().filter((name) => !before.includes(name))).toEqual([])
})

test('another branch is taken when it is named, and a bare repository is one too', async () => {
  await using folder = await tempFolder()
  const path = await repository(folder)
  git(path, 'checkout', '-q', '-b', 'next')
  await folder.write({ 'repo/commands/next.md': 'Next' })
  git(path, 'add', '.')
  git(path, 'commit', '-q', '-m', 'next')
  git(folder.path, 'clone', '-q', '--bare', path, 'bare.git')

  const next = await read(folder, `file://${path}#next`)
  const bare = await read(folder, 'bare.git')

  expect(next.files).toContainEqual({ path: 'commands/next.md', text: 'Next' })
  expect(bare.files.map((file) => file.path)).toContain('commands/review.md')
})

test('hooks that the machine gives to new repositories do not run', async () => {
  await using folder = await tempFolder()
  const path = await repository(folder)
  await folder.write({ 'home/.gitconfig': `[init]\n  templateDir = ${folder.path}/template\n`, 'template/hooks/': '' })
  await mkdir(join(folder.path, 'ran'))
  await folder.write({ 'template/hooks/post-checkout': `#!/bin/sh\ntouch ${folder.path}/ran/it\n` })
  execFileSync('chmod', ['+x', join(folder.path, 'template/hooks/post-checkout')])

  await readSource(`file://${path}`, {
    currentFolder: folder.path,
    env: { PATH: env.PATH, HOME: join(folder.path, 'home') },
  })

  expect(readdirSync(join(folder.path, 'ran'))).toEqual([])
})

test.each([
  ['nowhere', { code: 'usage', message: '"nowhere" cannot be read: there is no such file or folder.' }],
  ['file:///nonexistent/repo', { code: 'transport_failed' }],
])('%s is refused with what to do', async (source, failure) => {
  await using folder = await tempFolder()

  await expect(read(folder, source)).rejects.toMatchObject({ ...failure, next: expect.stringMatching(/\w/) })
})

test('without git it says so', async () => {
  await using folder = await tempFolder()

  const reading = readSource('https://example.com/x.git', { currentFolder: folder.path, env: { PATH: folder.path } })

  await expect(reading).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining('git is not installed'),
  })
})
