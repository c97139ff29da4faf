import { expect, test } from 'vitest'
import { describeAnnotations } from '../../../src/cli/render/annotations.ts'

test.each([
  [undefined, []],
  [{}, []],
  [{ readOnlyHint: true, destructiveHint: true, idempotentHint: true }, ['changes nothing']],
  [{ destructiveHint: true, openWorldHint: true }, ['may destroy data', 'reaches outside systems']],
  [
    { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
    ['adds, but destroys nothing', 'doing it twice is the same as doing it once'],
  ],
  [{ openWorldHint: false }, ['stays within its own system']],
])('%j in words is %j', (annotations, words) => {
  expect(describeAnnotations(annotations)).toEqual(words)
})
