import { expect, test } from 'vitest'
import { columnsFor, styleFor } from '../../../src/cli/render/style.ts'

const terminal = { stdoutIsTerminal: true, stderrIsTerminal: true }
const pipe = { stdoutIsTerminal: false, stderrIsTerminal: false }

function hasColor(io: typeof terminal, env: Record<string, string>): boolean {
  return styleFor({ ...io, env }).bad('x') !== 'x'
}

test('a terminal gets colour, a pipe does not', () => {
  expect(hasColor(terminal, {})).toBe(true)
  expect(hasColor(pipe, {})).toBe(false)
})

test('each stream is looked at by itself', () => {
  const style = styleFor({ env: {}, stdoutIsTerminal: false, stderrIsTerminal: true }, 'stderr')

  expect(style.bad('x')).not.toBe('x')
})

test('NO_COLOR takes colour from a terminal, unless it is empty', () => {
  expect(hasColor(terminal, { NO_COLOR: '1' })).toBe(false)
  expect(hasColor(terminal, { NO_COLOR: '' })).toBe(true)
  expect(hasColor(terminal, { TERM: 'dumb' })).toBe(false)
})

test('FORCE_COLOR gives colour to a pipe, and 0 takes it from a terminal', () => {
  expect(hasColor(pipe, { FORCE_COLOR: '1' })).toBe(true)
  expect(hasColor(pipe, { FORCE_COLOR: '1', NO_COLOR: '1' })).toBe(true)
  expect(hasColor(terminal, { FORCE_COLOR: '0' })).toBe(false)
})

test('a pipe has no width to fit into', () => {
  const io = { columns: 40, stdoutIsTerminal: false, stderrIsTerminal: true }

  expect(columnsFor(io)).toBe(Number.POSITIVE_INFINITY)
  expect(columnsFor(io, 'stderr')).toBe(40)
  expect(columnsFor({ ...io, stdoutIsTerminal: true })).toBe(40)
})
