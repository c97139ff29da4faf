import { isAbsolute } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { places } from '../../src/files/places.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

test('an empty HOME leaves every path absolute, so that nothing is written into the current folder', () => {
  vi.stubEnv('HOME', '')

  expect(Object.values(places({ HOME: '' })).every(isAbsolute)).toBe(true)
})
