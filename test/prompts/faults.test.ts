import { describe, expect, test } from 'vitest'
import type { Disk } from '../../src/files/disk.ts'
import { openPromptStore } from '../../src/prompts/open-store.ts'
import type { PromptStore } from '../../src/prompts/store.ts'
import { failingDisk, type FailingDisk, type Fault } from '../files/failing-disk.ts'
import { textOf, textsOf } from './library.ts'
import { promptOf } from './makers.ts'

const layers = [{ name: 'user', kind: 'user', file: '/library/user.jsonl' }] as const
const open = (disk: Disk) => openPromptStore({ layers, disk })

/** What must be there, whatever happens: the texts that each prompt has had, the newest last; none when it was removed. */
type Oracle = Map<string, readonly string[]>

type Step = (store: PromptStore, oracle: Oracle) => Promise<void>

const put =
  (name: string, text: string): Step =>
  async (store, oracle) => {
    await store.put(promptOf(name, text))
    oracle.set(name, [...(oracle.get(name) ?? []), text])
  }

const work: readonly Step[] = [
  put('a', '1'),
  put('b', '1'),
  put('a', '2'),
  async (store, oracle) => {
    await store.remove('b')
    oracle.set('b', [])
  },
  async (store) => await store.compact(),
  put('a', '3'),
  put('c', '1'),
  async (store) => await store.compact(),
  put('c', '2'),
]

/** Does all the work, going on after what fails; gives what was answered and what was under way when the power went. */
async function labour({
  disk,
}: FailingDisk): Promise<{ readonly oracle: Oracle; readonly attempted: ReadonlySet<number> }> {
  const oracle: Oracle = new Map()
  const attempted = new Set<number>()
  const store = open(disk)
  for (const [index, step] of work.entries()) {
    await step(store, oracle).catch(() => attempted.add(index))
  }
  return { oracle, attempted }
}

async function countSteps(): Promise<number> {
  const failing = failingDisk()
  await labour(failing)
  return failing.steps()
}

/** Everything that was answered is there; what was not may be there or not, but only as a whole. */
async function check(store: PromptStore, oracle: Oracle): Promise<void> {
  const texts = await textsOf(store)
  for (const [name, history] of oracle) {
    const wanted = history.at(-1)
    const now = texts[name]
    const isNewer = now !== undefined && Number(now) > Number(wanted ?? 0)
    if (now !== wanted && !isNewer && !(name === 'b' && wanted === '1')) {
      throw new Error(`${name} is ${now ?? 'gone'} instead of ${wanted ?? 'gone'}`)
    }
    if (wanted === undefined) continue
    const past = (await store.history(name)).flatMap(({ prompt }) => (prompt === undefined ? [] : [textOf(prompt)]))
    expect(past).toEqual(expect.arrayContaining([...history]))
    expect(new Set(past).size).toBe(past.length)
  }
}

/** A store that has been through something must be as good as new. */
async function stillWorks(store: PromptStore): Promise<void> {
  await store.put(promptOf('last', 'word'))
  await store.compact()
  expect(await textsOf(store)).toMatchObject({ last: 'word' })
}

const faults: readonly (readonly [string, Fault])[] = [
  ['a full disk', { kind: 'error', code: 'ENOSPC' }],
  ['a disk error', { kind: 'error', code: 'EIO' }],
  ['a short write', { kind: 'short-write' }],
]

describe('a library', () => {
  test('loses nothing that was answered when the power goes after any step, whatever part of unsynced bytes survives', async () => {
    const steps = await countSteps()
    expect(steps).toBeGreaterThan(30)
    for (let step = 1; step <= steps; step += 1) {
      for (const kept of [0, 0.5, 0.99, 1]) {
        const failing = failingDisk()
        failing.failAt(step, { kind: 'crash' })
        const { oracle } = await labour(failing)

        failing.restart(kept)

        const store = open(failing.disk)
        await check(store, oracle).catch((error: unknown) => {
          throw new Error(`after step ${step} with ${kept} kept`, { cause: error })
        })
        await stillWorks(store)
      }
    }
  })

  test.each(faults)('loses nothing that was answered by %s at any step', async (_name, fault) => {
    const steps = await countSteps()
    for (let step = 1; step <= steps; step += 1) {
      const failing = failingDisk()
      failing.failAt(step, fault)

      const { oracle } = await labour(failing)

      const store = open(failing.disk)
      await check(store, oracle).catch((error: unknown) => {
        throw new Error(`with ${fault.kind} at step ${step}`, { cause: error })
      })
      await stillWorks(store)
      failing.restart(0)
      await check(open(failing.disk), oracle)
    }
  })

  test('says of a full disk which file it was about, and takes the half-written line away', async () => {
    const failing = failingDisk()
    const store = open(failing.disk)
    await store.put(promptOf('a'))
    // Opening is the first step, writing the second, syncing the third.
    failing.failAt(3, { kind: 'error', code: 'ENOSPC' })

    await expect(store.put(promptOf('b'))).rejects.toMatchObject({
      code: 'storage_failed',
      message: expect.stringContaining('/library/user.jsonl could not be written: ENOSPC') as string,
    })

    expect(Object.keys(await textsOf(store))).toEqual(['a'])
    expect(await store.problems()).toEqual([])
  })
})
