import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { watchFiles, type WatchOptions } from '../../src/files/watch.ts'
import { tempFolder } from '../config/temp-folder.ts'

// Far longer than any test, so that a change is seen by the watch and not by the clock.
const onlyTold: WatchOptions = { settleMs: 20, lookAgainMs: 3_600_000 }

test('tells which file was written', async () => {
  await using folder = await tempFolder()
  await folder.write({ a: '1', b: '1' })
  using changes = watching([join(folder.path, 'a'), join(folder.path, 'b')])

  await writeFile(join(folder.path, 'b'), '2')

  expect(await changes.next()).toEqual([join(folder.path, 'b')])
})

test('sees every replacement by rename, not only the first', async () => {
  await using folder = await tempFolder()
  await folder.write({ a: '0' })
  using changes = watching([join(folder.path, 'a')])

  for (const text of ['1', '2', '3']) {
    await writeFile(join(folder.path, 'draft'), text)
    await rename(join(folder.path, 'draft'), join(folder.path, 'a'))
    expect(await changes.next()).toEqual([join(folder.path, 'a')])
  }
})

test('sees a file appear, go, and come back', async () => {
  await using folder = await tempFolder()
  const file = join(folder.path, 'a')
  using changes = watching([file])

  await writeFile(file, 'here')
  expect(await changes.next()).toEqual([file])
  await rm(file)
  expect(await changes.next()).toEqual([file])
  await writeFile(file, 'back')
  expect(await changes.next()).toEqual([file])
})

test('sees a file whose folders did not exist at the start', async () => {
  await using folder = await tempFolder()
  const file = join(folder.path, 'deep', 'er', 'a')
  using changes = watching([file])

  await mkdir(join(folder.path, 'deep', 'er'), { recursive: true })
  await writeFile(file, 'here')

  expect(await changes.next()).toEqual([file])
})

test('sees names come and go in a folder, also one that did not exist at the start', async () => {
  await using folder = await tempFolder()
  const tools = join(folder.path, 'tools')
  using changes = watching([tools])

  await mkdir(tools)
  expect(await changes.next()).toEqual([tools])
  await writeFile(join(tools, 'a.ts'), '1')
  expect(await changes.next()).toEqual([tools])
  await rm(join(tools, 'a.ts'))
  expect(await changes.next()).toEqual([tools])
})

test('sees a change of the file that a symbolic link points to', async () => {
  await using folder = await tempFolder()
  await folder.write({ 'dotfiles/a': '1', 'home/': '' })
  const link = join(folder.path, 'home', 'a')
  await symlink('../dotfiles/a', link)
  using changes = watching([link])

  await writeFile(join(folder.path, 'dotfiles', 'a'), '2')

  expect(await changes.next()).toEqual([link])
})

test('says nothing about a write that changes nothing, nor about other files in the folder', async () => {
  await using folder = await tempFolder()
  await folder.write({ a: '1', b: '1' })
  const [a, b] = [join(folder.path, 'a'), join(folder.path, 'b')]
  using changes = watching([a, b])

  await writeFile(a, '1')
  await writeFile(join(folder.path, 'stranger'), '1')
  await writeFile(b, '2')

  expect(await changes.next()).toEqual([b])
})

test('a burst of writes is one change', async () => {
  await using folder = await tempFolder()
  const file = join(folder.path, 'a')
  const last = join(folder.path, 'last')
  using changes = watching([file, last], { ...onlyTold, settleMs: 200 })

  for (let write = 0; write < 20; write++) await writeFile(file, String(write))
  expect(await changes.next()).toEqual([file])
  await writeFile(last, 'x')

  expect(await changes.next()).toEqual([last])
})

test('finds a change by the clock where nobody tells', async () => {
  await using folder = await tempFolder()
  await folder.write({ a: '1' })
  using changes = watching([join(folder.path, 'a')], { settleMs: 3_600_000, lookAgainMs: 20 })

  await writeFile(join(folder.path, 'a'), '2')

  expect(await changes.next()).toEqual([join(folder.path, 'a')])
})

test('is quiet after it has been disposed, and may be disposed twice', async () => {
  await using folder = await tempFolder()
  const file = join(folder.path, 'a')
  const first = watching([file])
  using second = watching([file])
  first[Symbol.dispose]()
  first[Symbol.dispose]()

  await writeFile(file, 'x')
  await second.next()

  expect(first.count()).toBe(0)
})

function watching(paths: readonly string[], options = onlyTold) {
  const seen: (readonly string[])[] = []
  let read = 0
  let wake = () => {}
  const watcher = watchFiles(
    paths,
    (changed) => {
      seen.push(changed)
      wake()
    },
    options,
  )
  return {
    count: () => seen.length,
    next: async () => {
      while (seen.length <= read) await new Promise<void>((resolve) => (wake = resolve))
      return seen[read++]
    },
    [Symbol.dispose]: () => watcher[Symbol.dispose](),
  }
}
