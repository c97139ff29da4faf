import fc from 'fast-check'
import { expect, test } from 'vitest'
import { frame, messageReader, type Framing, type Incoming } from '../../../src/prompts/server/message-reader.ts'

function readInPieces(bytes: Buffer, sizes: readonly number[], maxBytes = 10_000): readonly Incoming[] {
  const reader = messageReader(maxBytes)
  const found: Incoming[] = []
  let from = 0
  for (const size of [...sizes, bytes.length]) {
    found.push(...reader.take(bytes.subarray(from, from + size)))
    from += size
  }
  return found
}

test('messages of both framings are read, however they are cut on the way', () => {
  const message = fc.record({
    text: fc.json().map((json) => json.replaceAll('\n', ' ')),
    framing: fc.constantFrom<Framing>('lines', 'headers'),
  })

  fc.assert(
    fc.property(fc.array(message, { maxLength: 5 }), fc.array(fc.integer({ min: 1, max: 20 })), (messages, sizes) => {
      const bytes = Buffer.from(messages.map(({ text, framing }) => frame(text, framing)).join(''))

      const found = readInPieces(bytes, sizes)

      const trimmed = messages.map(({ text, framing }) => ({ text: framing === 'lines' ? text.trim() : text, framing }))
      expect(found).toEqual(trimmed.map((one) => ({ kind: 'message', ...one })))
    }),
  )
})

test('the length of a header counts bytes, not characters', () => {
  const found = readInPieces(Buffer.from(`${frame('"größe 💡"', 'headers')}${frame('"next"', 'headers')}`), [])

  expect(found).toMatchObject([{ text: '"größe 💡"' }, { text: '"next"' }])
})

test('other headers, upper and lower case, and bare newlines are understood', () => {
  const text = 'content-length: 2\nContent-Type: application/vscode-jsonrpc; charset=utf-8\n\n{}'
  const before = `Content-Type: application/json\r\n${text}`

  expect(readInPieces(Buffer.from(before), [])).toEqual([{ kind: 'message', text: '{}', framing: 'headers' }])
})

test('empty lines between messages mean nothing', () => {
  expect(readInPieces(Buffer.from('\n\r\n{}\n\n'), [])).toEqual([{ kind: 'message', text: '{}', framing: 'lines' }])
})

test.each([
  ['a line', 'x'.repeat(101)],
  ['an announced length', 'Content-Length: 101\r\n\r\n'],
  ['a header', `Content-Length: 2\r\n${'x'.repeat(5000)}`],
])('%s beyond the limit is told instead of being kept in memory', (_, text) => {
  expect(readInPieces(Buffer.from(text), [], 100)).toEqual([{ kind: 'too_long' }])
})

test('a large message in small chunks takes time in proportion to its size', () => {
  const big = Buffer.from(frame(`"${'x'.repeat(20_000_000)}"`, 'lines'))
  const reader = messageReader(30_000_000)
  const startedAtMs = performance.now()

  const found: Incoming[] = []
  for (let from = 0; from < big.length; from += 65_536) found.push(...reader.take(big.subarray(from, from + 65_536)))

  expect(found).toHaveLength(1)
  expect(performance.now() - startedAtMs).toBeLessThan(1500)
})
