import { describe, expect, test } from 'vitest'
import { boundedFetch } from '../../../src/hub/wire/bounded-fetch.ts'

function fetched(type: string, pieces: readonly string[], maxBytes = 20): Promise<Response> {
  const encoder = new TextEncoder()
  const body = ReadableStream.from(pieces.map((piece) => encoder.encode(piece)))
  const response = new Response(body, { status: 202, headers: { 'content-type': type, 'x-more': 'kept' } })
  return boundedFetch({ fetch: async () => response, server: 'one', maxBytes })('http://localhost/')
}

test('an answer within the limit comes as it is', async () => {
  const response = await fetched('application/json', ['{"a":', '1}'])

  expect([response.status, response.headers.get('x-more')]).toEqual([202, 'kept'])
  expect(await response.json()).toEqual({ a: 1 })
})

test('an answer without a body stays without one', async () => {
  const response = await boundedFetch({ fetch: async () => new Response(null, { status: 204 }), server: 'one' })(
    'http://localhost/',
  )

  expect(response.body).toBeNull()
})

test('an answer that gets larger breaks off', async () => {
  const response = await fetched('application/json', ['x'.repeat(15), 'x'.repeat(15)])

  await expect(response.text()).rejects.toMatchObject({ code: 'limit_exceeded' })
})

describe('a stream of events', () => {
  test.each([
    ['LF', '\n'],
    ['CR', '\r'],
    ['both', '\r\n'],
  ])('may go on for ever where lines end with %s, however its pieces are cut', async (_name, end) => {
    const all = `data: 1${end}${end}`.repeat(50)

    for (let size = 1; size <= 12; size++) {
      const pieces = Array.from({ length: Math.ceil(all.length / size) }, (_, at) =>
        all.slice(at * size, (at + 1) * size),
      )
      const response = await fetched('text/event-stream; charset=utf-8', pieces)
      expect(await response.text()).toBe(all)
    }
  })

  test.each([
    ['one line', ['data: ', 'x'.repeat(10), 'x'.repeat(10)]],
    ['many lines', Array.from({ length: 10 }, () => 'data: x\n')],
  ])('breaks off at an event of %s that gets too large', async (_name, pieces) => {
    const response = await fetched('text/event-stream', ['data: 1\n\n', ...pieces])

    await expect(response.text()).rejects.toMatchObject({ code: 'limit_exceeded' })
  })
})
