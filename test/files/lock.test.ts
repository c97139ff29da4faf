import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withLock } from '../../src/files/lock.ts'
import { processStart } from '../../src/files/process-start.ts'
import { tempFolder } from '../config/temp-folder.ts'

test('eight processes that count up twenty times each lose no count', async () => {
  await using folder = await tempFolder()
  const file = join(folder.path, 'count')
  await writeFile(file, '0')

  await countUp(file, { processes: 8, times: 20 })

  expect(await readFile(file, 'utf8')).toBe('160')
  expect(await readdir(folder.path)).toEqual(['count'])
})

test('calls in one process take turns as well', async () => {
  await using folder = await tempFolder()
  const file = join(folder.path, 'file')
  let inside = 0
  let most = 0

  await Promise.all(
    Array.from({ length: 10 }, () =>
      withLock(file, async () => {
        most = Math.max(most, ++inside)
        await new Promise(setImmediate)
        inside--
      }),
    ),
  )

  expect(most).toBe(1)
})

test('many who find the lock of a killed process at once take it over one after the other', async () => {
  await using folder = await tempFolder()
  const file = join(folder.path, 'count')
  await writeFile(file, '0')
  const holder = await holdLock(file)
  holder.kill('SIGKILL')
  await once(holder, 'exit')

  await countUp(file, { processes: 6, times: 5 })

  expect(await readFile(file, 'utf8')).toBe('30')
  expect(await readdir(folder.path)).toEqual(['count'])
})

test('whoever died while taking over a dead lock does not block the next one', async () => {
  await using folder = await tempFolder()
  const file = join(folder.path, 'file')
  const dead = { pid: 999_999_999, start: 'x', host: hostname() }
  await writeFile(`${file}.lock`, JSON.stringify({ ...dead, nonce: 'aaaaaaaaaaaaaaaa' }))
  await writeFile(`${file}.lock.aaaaaaaaaaaaaaaa`, JSON.stringify({ ...dead, nonce: 'bbbbbbbbbbbbbbbb' }))

  expect(await withLock(file, () => Promise.resolve('done'))).toBe('done')
  expect(await readdir(folder.path)).toEqual([])
})

test('a process id that was given to another program does not count as alive', async () => {
  await using folder = await tempFolder()
  const file = join(folder.path, 'file')
  const reused = { pid: process.pid, start: 'another boot:1', host: hostname(), nonce: 'aaaaaaaaaaaaaaaa' }
  await writeFile(`${file}.lock`, JSON.stringify(reused))

  expect(await withLock(file, () => Promise.resolve('done'))).toBe('done')
})

test('the lock of a living process is never taken, even when that process is stopped', async () => {
  await using folder = await tempFolder()
  const file = join(folder.path, 'file')
  const holder = await holdLock(file)
  holder.kill('SIGSTOP')

  await expect(withLock(file, () => Promise.resolve(), { waitMs: 100 })).rejects.toMatchObject({
    code: 'timed_out',
    message: expect.stringContaining(`process ${holder.pid}`),
  })

  holder.kill('SIGKILL')
  await once(holder, 'exit')
})

test.each([
  ['another machine', JSON.stringify({ pid: 1, start: '', host: 'elsewhere', nonce: 'aaaaaaaaaaaaaaaa' })],
  ['nobody we know', 'not ours'],
  ['a name that leaves the folder', JSON.stringify({ pid: 1, start: 'x', host: hostname(), nonce: '../../escape' })],
])('a lock of %s is waited for and then named, not broken', async (_whose, content) => {
  await using folder = await tempFolder()
  const file = join(folder.path, 'file')
  await writeFile(`${file}.lock`, content)

  const attempt = withLock(file, () => Promise.resolve(), { waitMs: 50 })

  await expect(attempt).rejects.toMatchObject({ code: 'timed_out', next: expect.stringContaining(`${file}.lock`) })
  expect(await readFile(`${file}.lock`, 'utf8')).toBe(content)
})

test('waiting ends at once when the signal says so', async () => {
  await using folder = await tempFolder()
  const file = join(folder.path, 'file')
  const controller = new AbortController()

  const waiting = withLock(file, async () => {
    const second = withLock(file, () => Promise.resolve(), { signal: controller.signal })
    controller.abort(new Error('enough'))
    await second
  })

  await expect(waiting).rejects.toThrow(/enough|abort/i)
})

test('the lock is released when the work fails', async () => {
  await using folder = await tempFolder()
  const file = join(folder.path, 'file')

  await expect(withLock(file, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')

  expect(await readdir(folder.path)).toEqual([])
})

test('a process keeps one start time for its whole life', async () => {
  expect(processStart(process.pid)).toBe(processStart(process.pid))
  expect(processStart(999_999_999)).toBe('')
})

async function countUp(file: string, { processes, times }: { processes: number; times: number }): Promise<void> {
  const script = new URL('./counts-up.ts', import.meta.url)
  const counters = Array.from({ length: processes }, () => fork(script, [file, String(times)]))
  const codes = await Promise.all(counters.map(async (counter) => (await once(counter, 'exit'))[0]))
  expect(codes).toEqual(counters.map(() => 0))
}

async function holdLock(file: string): Promise<ChildProcess> {
  const holder = fork(new URL('./holds-lock.ts', import.meta.url), [file])
  await once(holder, 'message')
  return holder
}
