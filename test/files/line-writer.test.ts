import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { lineWriter } from '../../src/files/line-writer.ts'
import { tempFolder } from '../config/temp-folder.ts'

test('lines of one moment are stored in order with few writes, in a folder that is made for them', async () => {
  await using folder = await tempFolder()
  const file = join(folder.path, 'new', 'lines.jsonl')
  const writes: number[] = []
  const failures: unknown[] = []
  const makeRoom = async (bytes: number) => void writes.push(bytes)
  const lines = lineWriter({ file, makeRoom, onFailure: (error) => failures.push(error) })
  const numbers = Array.from({ length: 100 }, (_, number) => String(number))

  for (const number of numbers) {
    lines.write(number)
    await Promise.resolve()
  }
  await lines.settled()

  expect((await readFile(file, 'utf8')).trimEnd().split('\n')).toEqual(numbers)
  expect(writes.length).toBeLessThanOrEqual(2)
  expect(failures).toEqual([])
  expect((await stat(file)).mode & 0o777).toBe(0o600)
})

test('who waits for the lines to be on disk does not wait for more lines to come', async () => {
  await using folder = await tempFolder()
  const file = join(folder.path, 'lines.jsonl')
  const lines = lineWriter({ file, makeRoom: async () => {}, onFailure: () => {} })

  lines.write('one')
  await lines.settled()
  lines.write('two')
  lines.write('three')
  await lines.settled()

  expect(await readFile(file, 'utf8')).toBe('one\ntwo\nthree\n')
})
