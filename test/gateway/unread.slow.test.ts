import { describe, expect, test, vi } from 'vitest'
import { call, initialize, legacyRequest, send } from '../attacks/gateway-wire.ts'
import { fixture } from '../fixtures/fixture.ts'
import { textOf } from '../hub/makers.ts'
import { connectHttp, openHttpBench } from './doors.ts'
import { ask, isWhole } from './rude-client.ts'

/** More than the system keeps for a connection by itself. */
const big = call('one__big', { bytes: 8_000_000 })

describe('a client over HTTP that does not read its answers', () => {
  test('takes no place of others, and is cut off when it has read nothing for a while', async () => {
    const note = vi.fn<(text: string) => void>()
    const limits = { requestsOfOne: 3, unreadMs: 1000 }
    await using bench = await openHttpBench({ one: fixture('echo') }, { limits, http: { note } })
    await using polite = await connectHttp(bench.url, 'modern')
    const rude = await Promise.all([ask(bench.url, big), ask(bench.url, big), ask(bench.url, big)])

    const answer = await polite.client.callTool({ name: 'one__look', arguments: {} })
    await vi.waitFor(() => expect(note).toHaveBeenCalledTimes(3), { timeout: 10_000 })

    expect(textOf(answer)).toBe('look')
    expect(note.mock.lastCall).toEqual([
      'A client was cut off: an answer was there, and it read nothing of it for 1 s.',
    ])
    expect(await Promise.all(rude.map(isWhole))).toEqual([false, false, false])
  })

  test('is cut off in a session too, which goes on', async () => {
    const note = vi.fn<(text: string) => void>()
    const limits = { requestsOfOne: 1, unreadMs: 1000 }
    await using bench = await openHttpBench({ one: fixture('echo') }, { limits, http: { note } })
    const begun = await send(bench.url, { body: initialize })
    const headers = { 'mcp-session-id': String(begun.headers['mcp-session-id']) }
    const rude = await ask(bench.url, {
      headers,
      body: legacyRequest('tools/call', { name: 'one__big', arguments: { bytes: 8_000_000 } }),
    })

    const ping = await send(bench.url, { headers, body: legacyRequest('ping') })
    await vi.waitFor(() => expect(note).toHaveBeenCalledTimes(1), { timeout: 10_000 })

    expect(ping.message.result).toEqual({})
    expect(await isWhole(rude)).toBe(false)
  })

  test('is cut off at once when too much is kept, and whoever waits longest goes first', async () => {
    const note = vi.fn<(text: string) => void>()
    const limits = { unreadBytes: 12_000_000 }
    await using bench = await openHttpBench({ one: fixture('echo') }, { limits, http: { note } })

    const first = await ask(bench.url, big)
    const second = await ask(bench.url, big)
    await vi.waitFor(() => expect(note).toHaveBeenCalledTimes(1), { timeout: 10_000 })

    expect(await Promise.all([first, second].map(isWhole))).toEqual([false, true])
  })

  test('is not cut off while it reads, however long that takes', async () => {
    await using bench = await openHttpBench({ one: fixture('echo') }, { limits: { unreadMs: 1500 } })
    const bytes = 40_000_000
    const response = await ask(bench.url, call('one__big', { bytes }))

    const startedAt = performance.now()
    let read = 0
    for await (const chunk of response) {
      read += (chunk as Buffer).length
      if (performance.now() - startedAt < 3000) await new Promise((resolve) => setTimeout(resolve, 4))
    }

    expect(performance.now() - startedAt).toBeGreaterThan(1500)
    expect(read).toBeGreaterThan(bytes)
  })
})
