import { monitorEventLoopDelay } from 'node:perf_hooks'
import { homedir } from 'node:os'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { ExecOutcome, RunOptions } from '../../src/sandbox/api.ts'
import { createSandbox } from '../../src/sandbox/sandbox.ts'
import { runOptions, structured, text } from '../sandbox/run-options.ts'
import { denials, escapes, pollutions, questions, type Attack, type Ending } from './snippets.ts'

const megabyte = 1024 * 1024
const secret = 'sk-attack-4d2f9c81'
const sandbox = createSandbox()
let startBytes = 0

beforeAll(async () => {
  process.env['ATTACK_SECRET'] = secret
  await run('1')
  startBytes = process.memoryUsage.rss()
})

afterAll(async () => {
  delete process.env['ATTACK_SECRET']
  await sandbox[Symbol.asyncDispose]()
})

async function run(code: string, timeMs = 20_000): Promise<ExecOutcome> {
  const call: RunOptions['call'] = async ({ tool }, args) =>
    tool === 'fails' ? { ...text('It failed.'), isError: true } : structured(args)
  return sandbox.run(code, runOptions({ call, limits: { timeMs } }))
}

/** What a snippet may not change or learn, whatever it is, checked after it. */
async function attackAndLookAround({ code, ends }: Attack): Promise<void> {
  const lag = monitorEventLoopDelay({ resolution: 10 })
  lag.enable()

  const isEndless = ends.some((end) => end.kind === 'limit' && end.limit === 'time')
  const outcome = await run(code, isEndless ? 1500 : undefined)
  lag.disable()

  expect(ends).toContainEqual(ending(outcome, ends))
  expect(JSON.stringify(outcome)).not.toContain(secret)
  expect(JSON.stringify(outcome)).not.toContain(process.cwd())
  expect(JSON.stringify(outcome)).not.toContain(`${homedir()}/`)
  expect(JSON.stringify(outcome)).not.toMatch(/file:\/\/\/(?!etc)|node:internal/)
  // Generous, for machines with little time to spare: an attack that gets through blocks for seconds.
  expect(lag.max / 1e6).toBeLessThan(1000)
  expect(outcome.ms).toBeLessThan(15_000)
  expect(Object.keys(Object.prototype)).toEqual([])
  expect('polluted' in {} || 'polluted' in [] || 'polluted' in run).toBe(false)
  expect(await run(`[await tools.test.echo({ a: 1 }), typeof globalThis.out, ({}).polluted]`)).toMatchObject({
    value: [{ a: 1 }, 'undefined', null],
  })
  expect(process.memoryUsage.rss() - startBytes).toBeLessThan(400 * megabyte)
}

/** The outcome in the words of the expectations: of an error only its name, and that only where it matters. */
function ending(outcome: ExecOutcome, ends: readonly Ending[]): Ending | ExecOutcome {
  if (outcome.kind === 'returned') return { kind: 'returned', value: outcome.value }
  if (outcome.kind === 'limit') return { kind: 'limit', limit: outcome.limit }
  if (outcome.kind === 'deadlock') return { kind: 'deadlock' }
  if (outcome.kind !== 'threw') return outcome
  const isAnyError = ends.some((end) => end.kind === 'threw' && end.name === undefined)
  return isAnyError ? { kind: 'threw' } : { kind: 'threw', name: outcome.error.name }
}

describe.each([
  ['escape', escapes],
  ['pollution', pollutions],
  ['denial of service', denials],
  ['information', questions],
])('against %s: a snippet that', (_kind, attacks) => {
  test.each(attacks.map((attack) => [attack.name, attack] as const))('%s does no harm', async (_name, attack) => {
    await attackAndLookAround(attack)
  })
})

test('after all of them the memory is back', async () => {
  await sandbox[Symbol.asyncDispose]()

  // The system takes a dead worker's pages back a moment later, and the garbage of this thread is not the sandbox's.
  await vi.waitFor(
    () => {
      collectGarbage()
      expect(process.memoryUsage.rss() - startBytes).toBeLessThan(200 * megabyte)
    },
    { timeout: 60_000, interval: 250 },
  )
})

function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}
