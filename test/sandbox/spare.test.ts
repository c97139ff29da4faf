import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createSandbox } from '../../src/sandbox/sandbox.ts'
import { runOptions } from './run-options.ts'

let threads: Worker[] = []
const remember = (thread: Worker): void => void threads.push(thread)

beforeEach(() => {
  threads = []
  process.on('worker', remember)
})
afterEach(() => {
  process.off('worker', remember)
})

/** All threads so far. Node tells of a thread a moment after it made it. */
async function startedThreads(): Promise<readonly Worker[]> {
  await new Promise((resolve) => setImmediate(resolve))
  return threads
}

test('a sandbox starts nothing before its first run', async () => {
  await using _sandbox = createSandbox()

  expect(await startedThreads()).toHaveLength(0)
})

test('one thread is kept warm after a run, and the next run takes it', async () => {
  await using sandbox = createSandbox()

  await sandbox.run('1', runOptions())
  const afterFirst = (await startedThreads()).length
  await sandbox.run('1', runOptions())

  expect(afterFirst).toBe(2)
  expect(await startedThreads()).toHaveLength(3)
})

test('no thread is kept when none is wanted', async () => {
  await using sandbox = createSandbox({ spareMs: 0 })

  await sandbox.run('1', runOptions())

  expect(await startedThreads()).toHaveLength(1)
})

test('the warm thread goes when nothing ran for a while, and the next run still works', async () => {
  await using sandbox = createSandbox({ spareMs: 20 })
  await sandbox.run('1', runOptions())
  const [, spare] = await startedThreads()

  if (spare !== undefined) await once(spare, 'exit')

  expect(await sandbox.run('2', runOptions())).toMatchObject({ value: 2 })
  expect((await startedThreads()).length).toBeGreaterThan(2)
})

test('a warm thread that dies is not used', async () => {
  await using sandbox = createSandbox()
  await sandbox.run('1', runOptions())

  const [, spare] = await startedThreads()
  await spare?.terminate()

  expect(await sandbox.run('2', runOptions())).toMatchObject({ value: 2 })
})

test('no thread is left when the sandbox is closed', async () => {
  const sandbox = createSandbox()
  await sandbox.run('1', runOptions())

  await sandbox[Symbol.asyncDispose]()

  expect((await startedThreads()).map((thread) => thread.threadId)).toEqual([-1, -1])
})
