import { expect, test } from 'vitest'
import { jsonBytes } from '../../src/hub/json-bytes.ts'

test.each([
  [{}],
  [[]],
  [
    {
      content: [{ type: 'text', text: 'größer 🙂' }],
      isError: false,
      structuredContent: { a: [1, 2.5, null, 'x'], b: {} },
    },
  ],
  [{ kept: 1, left: undefined }],
  ['text'],
  [null],
])('the bytes of %j are those of its JSON', (value) => {
  expect(jsonBytes(value)).toBe(Buffer.byteLength(JSON.stringify(value)))
})
