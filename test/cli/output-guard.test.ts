import { readdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { guardOutput } from '../../src/cli/output-guard.ts'
import { tempFolder } from '../config/temp-folder.ts'
import { person } from './person.ts'

const long = Array.from({ length: 5000 }, (_, line) => `line ${line}`).join('\n')

async function terminalIn(home: string, stdoutIsTerminal = true) {
  const { io } = person({ env: { HOME: home }, cwd: home })
  return { ...io, stdoutIsTerminal }
}

test('a long text keeps its head and its tail on a terminal, and the whole is in the file it names', async () => {
  await using home = await tempFolder()
  const io = await terminalIn(home.path)

  const { text: shown, notice = '' } = await guardOutput(long, io)

  expect(Buffer.byteLength(shown)).toBeLessThan(20 * 1024)
  expect(shown).toMatch(/^line 0\n/)
  expect(shown).toMatch(/\nline 4999$/)
  const [, file = ''] = /the whole is in (\S+),/.exec(notice) ?? []
  expect(await readFile(file, 'utf8')).toBe(long)
})

test('a short text, and anything that goes into a pipe, is never cut', async () => {
  await using home = await tempFolder()

  expect(await guardOutput('short', await terminalIn(home.path))).toEqual({ text: 'short' })
  expect(await guardOutput(long, await terminalIn(home.path, false))).toEqual({ text: long })
})

test('one long line is cut as well', async () => {
  await using home = await tempFolder()

  const { text: shown, notice } = await guardOutput('x'.repeat(100_000), await terminalIn(home.path))

  expect(shown.length).toBeLessThan(20 * 1024)
  expect(notice).toContain('of 100000 bytes')
})

test('files older than a day are removed', async () => {
  await using home = await tempFolder()
  const io = await terminalIn(home.path)
  await guardOutput(long, io)
  const folder = join(home.path, '.local/state/capstan/outputs')
  const old = join(folder, 'old.txt')
  await writeFile(old, 'old')
  await utimes(old, 0, 0)

  await guardOutput(long, io)

  expect(await readdir(folder)).not.toContain('old.txt')
  expect(await readdir(folder)).toHaveLength(2)
})
