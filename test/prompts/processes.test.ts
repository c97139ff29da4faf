import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { testLibrary } from './library.ts'

const program = fileURLToPath(new URL('programs/writes-prompts.ts', import.meta.url))

test('two processes that write to one folder lose nothing of each other', async () => {
  await using library = await testLibrary()
  const run = async (writer: string) =>
    await promisify(execFile)(process.execPath, [program, library.file, writer, '40'])

  const outputs = await Promise.all(['w1', 'w2'].map(run))

  const answered = outputs.flatMap(({ stdout }) => stdout.trim().split('\n'))
  const store = library.open()
  const names = (await store.list()).map(({ prompt }) => prompt.name)
  const histories = await Promise.all(names.map(async (name) => await store.history(name)))
  const revisions = histories.flat()
  expect(answered).toHaveLength(80)
  expect(revisions).toHaveLength(80)
  expect(new Set(revisions.map(({ by }) => by))).toEqual(new Set(['w1', 'w2']))
})
