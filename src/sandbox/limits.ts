import { CapstanError } from '../errors.ts'
import type { Limits } from './api.ts'

const kilobyte = 1024
const megabyte = 1024 * kilobyte

export const defaultLimits: Limits = {
  memoryBytes: 64 * megabyte,
  timeMs: 30_000,
  calls: 1000,
  concurrency: 8,
  logBytes: 256 * kilobyte,
  resultBytes: megabyte,
  snippetBytes: 256 * kilobyte,
  argumentBytes: 8 * megabyte,
}

/** The longest text of an error that leaves the sandbox. */
export const errorBytes = 4 * kilobyte

// The engine with nothing in it takes half a megabyte; its addresses end at four gigabytes, and a timer at 2^31 ms.
const ranges: Readonly<Record<keyof Limits, readonly [least: number, most: number]>> = {
  memoryBytes: [2 * megabyte, 2048 * megabyte],
  timeMs: [1, 2 ** 31 - 1],
  calls: [0, 1_000_000],
  concurrency: [1, 1000],
  logBytes: [0, 64 * megabyte],
  resultBytes: [0, 64 * megabyte],
  snippetBytes: [0, 16 * megabyte],
  argumentBytes: [2, 64 * megabyte],
}

/** The default limits with the given ones in their place. */
export function fullLimits(given: Partial<Limits> = {}): Limits {
  const limits: Limits = { ...defaultLimits, ...given }
  for (const name of limitNames) {
    const [least, most] = ranges[name]
    const value = limits[name]
    if (Number.isInteger(value) && value >= least && value <= most) continue
    throw new CapstanError(
      'usage',
      `The limit ${name} is ${value}; it must be a whole number from ${least} to ${most}.`,
    )
  }
  return limits
}

const limitNames: readonly (keyof Limits)[] = [
  'memoryBytes',
  'timeMs',
  'calls',
  'concurrency',
  'logBytes',
  'resultBytes',
  'snippetBytes',
  'argumentBytes',
]

/** `64 MB`, `256 KB`, `12 bytes`. */
export function sizeText(bytes: number): string {
  if (bytes >= megabyte) return `${round(bytes / megabyte)} MB`
  return bytes >= kilobyte ? `${round(bytes / kilobyte)} KB` : `${bytes} bytes`
}

function round(value: number): string {
  return String(Math.round(value * 10) / 10)
}
