import { appendFileSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openAppendLog, type AppendLog } from '../../src/files/append-log.ts'
import { realDisk } from '../../src/files/disk.ts'

interface TestLog extends AsyncDisposable {
  readonly folder: string
  readonly path: string
  open(): AppendLog<string[]>
}

/** A log whose state is the list of its lines, each with its number. */
async function testLog(): Promise<TestLog> {
  const folder = await mkdtemp(join(tmpdir(), 'capstan-log-'))
  const path = join(folder, 'log.jsonl')
  return {
    folder,
    path,
    open: () =>
      openAppendLog<string[]>({
        path,
        disk: realDisk,
        mode: 0o600,
        start: () => [],
        add: (state, line, number) => state.push(`${number}:${line}`),
      }),
    [Symbol.asyncDispose]: async () => await rm(folder, { recursive: true, force: true }),
  }
}

test('reading makes nothing, and writing nothing leaves no file behind', async () => {
  await using place = await testLog()
  const log = place.open()

  expect(await log.read()).toEqual([])
  await log.append(() => [])

  expect(await readdir(place.folder)).toEqual([])
})

test('several logs over one file see what the others add, with the numbers of the lines', async () => {
  await using place = await testLog()
  const [one, two] = [place.open(), place.open()]

  await one.append(() => ['a', 'b'])
  await two.append((lines) => [`after ${lines.length}`])

  expect(await one.read()).toEqual(['1:a', '2:b', '3:after 2'])
  expect(await readFile(place.path, 'utf8')).toBe('a\nb\nafter 2\n')
})

test('calls that are made at once come one after the other', async () => {
  await using place = await testLog()
  const log = place.open()

  await Promise.all(Array.from({ length: 20 }, async () => await log.append((lines) => [String(lines.length)])))

  expect(await log.read()).toEqual(Array.from({ length: 20 }, (_, index) => `${index + 1}:${index}`))
})

test('a last line without an end counts, and what comes next begins a new one', async () => {
  await using place = await testLog()
  const log = place.open()
  await writeFile(place.path, '\uFEFFa\r\n\nhal')
  expect(await log.read()).toEqual(['1:a', '3:hal'])

  appendFileSync(place.path, 'f')
  expect(await log.read()).toEqual(['1:a', '3:half'])
  await log.append(() => ['next'])

  expect(await log.read()).toEqual(['1:a', '3:half', '4:next'])
  expect(await place.open().read()).toEqual(['1:a', '3:half', '4:next'])
})

test('a decision that throws leaves the file as it was', async () => {
  await using place = await testLog()
  const log = place.open()
  await log.append(() => ['a'])

  const outcome = log.append(() => {
    throw new Error('no')
  })

  await expect(outcome).rejects.toThrow('no')
  expect(await log.append(() => ['b'])).toEqual(['1:a', '2:b'])
})

test('a rewrite never replaces what an editor has saved meanwhile', async () => {
  await using place = await testLog()
  const log = place.open()
  await log.append(() => ['a', 'b'])
  const archive = { path: join(place.folder, 'archive.jsonl'), lines: ['a'] }

  await log.rewrite(() => {
    appendFileSync(place.path, 'saved by an editor\n')
    return { lines: ['b'], archive }
  })

  expect(await log.read()).toEqual(['1:a', '2:b', '3:saved by an editor'])

  await log.rewrite((_state, lines) => ({ lines: lines.slice(1), archive }))

  expect(await log.read()).toEqual(['1:b', '2:saved by an editor'])
  expect(await readFile(archive.path, 'utf8')).toBe('a\n')
  expect((await readdir(place.folder)).toSorted()).toEqual(['archive.jsonl', 'log.jsonl'])
})
