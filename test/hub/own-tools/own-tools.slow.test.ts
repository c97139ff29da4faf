import { expect, test } from 'vitest'
import { createSandbox } from '../../../src/sandbox/sandbox.ts'
import { textOf } from '../makers.ts'
import { idsOf, leftOutOf, my, ownToolsPlace } from '../own-tools-place.ts'

test('a file whose top level never ends is left out in time, the others work, and nobody waits for it again', async () => {
  await using sandbox = createSandbox()
  const files = { 'endless.js': 'for (;;) {}', 'good.js': 'export default () => "fine"' }
  await using at = await ownToolsPlace(sandbox, files, {})
  const first = await at.open()

  expect(await idsOf(first)).toEqual(['my.good'])
  await first[Symbol.asyncDispose]()
  const second = await at.open()
  const startedAtMs = performance.now()
  const result = await second.call(my('good'), {})

  expect(performance.now() - startedAtMs).toBeLessThan(7000)
  expect(textOf(result)).toBe('fine')
  expect(await leftOutOf(second)).toMatchObject([
    { tool: 'endless', reason: 'broken', error: { message: expect.stringContaining('did not end within 8 s') } },
  ])
}, 40_000)
