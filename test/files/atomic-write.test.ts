import { fork } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, readdir, readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeFileAtomic } from '../../src/files/atomic-write.ts'
import { tempFolder } from '../config/temp-folder.ts'

test('a new file gets the permissions asked for, and its folders are for their owner alone', async () => {
  await using folder = await tempFolder()
  const file = join(folder.path, 'deep', 'er', 'file.json')

  await writeFileAtomic(file, 'text', { mode: 0o600 })

  expect(await readFile(file, 'utf8')).toBe('text')
  expect(await modeOf(file)).toBe(0o600)
  expect(await modeOf(join(folder.path, 'deep'))).toBe(0o700)
})

test('an existing file keeps its permissions whatever is asked for', async () => {
  await using folder = await tempFolder()
  const file = join(folder.path, 'file')
  await writeFile(file, 'old')
  await chmod(file, 0o666)

  await writeFileAtomic(file, 'new', { mode: 0o600 })

  expect(await modeOf(file)).toBe(0o666)
})

test('a symbolic link is written through, even to a target that does not exist yet', async () => {
  await using folder = await tempFolder()
  await mkdir(join(folder.path, 'dotfiles'))
  const link = join(folder.path, 'link')
  await symlink('dotfiles/real', link)

  await writeFileAtomic(link, 'one')
  await writeFileAtomic(link, 'two')

  expect(await readlink(link)).toBe('dotfiles/real')
  expect(await readFile(join(folder.path, 'dotfiles', 'real'), 'utf8')).toBe('two')
})

test('a write that fails leaves the old file and no temporary one', async () => {
  await using folder = await tempFolder()
  const blocked = join(folder.path, 'is-a-folder')
  await mkdir(join(blocked, 'with-content'), { recursive: true })

  await expect(writeFileAtomic(blocked, 'text')).rejects.toThrow()

  expect(await readdir(folder.path)).toEqual(['is-a-folder'])
})

test('a reader never sees a part of the text, even when the writer is killed', async () => {
  await using folder = await tempFolder()
  const file = join(folder.path, 'file')
  await writeFileAtomic(file, 'a'.repeat(1_000_000))
  const writer = fork(new URL('./writes-for-ever.ts', import.meta.url), [file])

  await once(writer, 'message')
  const seen = new Set<string>()
  for (let read = 0; read < 60; read++) seen.add(shapeOf(await readFile(file, 'utf8')))
  writer.kill('SIGKILL')
  await once(writer, 'exit')
  seen.add(shapeOf(await readFile(file, 'utf8')))

  expect([...seen].filter((shape) => shape !== 'a × 1000000' && shape !== 'b × 1000000')).toEqual([])
})

function shapeOf(text: string): string {
  return `${[...new Set(text)].join('')} × ${text.length}`
}

async function modeOf(path: string): Promise<number> {
  return (await stat(path)).mode & 0o777
}
