import { expect, test } from 'vitest'
import type { ConsoleLine } from '../../src/sandbox/api.ts'
import { createLogBuffer } from '../../src/sandbox/log-buffer.ts'

function collect(maxBytes: number) {
  const batches: (readonly ConsoleLine[])[] = []
  return { batches, log: createLogBuffer({ maxBytes, send: (lines) => batches.push(lines) }) }
}

test('a million lines leave in few messages', () => {
  const { batches, log } = collect(64 * 1024 * 1024)

  for (let count = 0; count < 1_000_000; count++) log.add({ level: 'log', text: 'line' })
  log.flush()

  expect(batches.flat()).toHaveLength(1_000_000)
  expect(batches.length).toBeLessThan(500)
})

test('the line that does not fit is cut, and nothing follows it', () => {
  const { batches, log } = collect(10)

  const fits = ['12345', '6789ab', 'c'].map((text) => log.add({ level: 'info', text }))
  log.flush()

  expect(fits).toEqual([true, false, false])
  expect(batches.flat().map((line) => line.text)).toEqual(['12345', '678'])
})

test('empty lines come to an end too', () => {
  const { log } = collect(3)

  expect(['', '', '', ''].map((text) => log.add({ level: 'log', text }))).toEqual([true, true, true, false])
})
