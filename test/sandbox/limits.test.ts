import { expect, test } from 'vitest'
import { defaultLimits, fullLimits, sizeText } from '../../src/sandbox/limits.ts'

test('a limit that is not given has its default', () => {
  expect(fullLimits()).toEqual(defaultLimits)
  expect(fullLimits({ calls: 3 })).toEqual({ ...defaultLimits, calls: 3 })
})

test.each([{ memoryBytes: 1 }, { timeMs: 0 }, { calls: -1 }, { concurrency: 0 }, { logBytes: 0.5 }, { timeMs: NaN }])(
  'the limit %o is refused by its name',
  (given) => {
    const [name] = Object.keys(given)

    expect(() => fullLimits(given)).toThrow(new RegExp(`The limit ${name} is .* whole number from`))
  },
)

test('sizes read as people write them', () => {
  expect([12, 1024, 1536, 64 * 1024 * 1024].map(sizeText)).toEqual(['12 bytes', '1 KB', '1.5 KB', '64 MB'])
})
