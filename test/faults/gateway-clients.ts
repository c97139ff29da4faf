import type { Client } from '@modelcontextprotocol/client'
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { request as httpRequest, type ClientRequest } from 'node:http'
import { join } from 'node:path'
import { defaultLimits } from '../../src/gateway/http/limits.ts'
import { call, initialize, legacyRequest, send, type Sent } from '../attacks/gateway-wire.ts'
import { fixture } from '../fixtures/fixture.ts'
import { connectHttp, eras, openHttpBench, type EraName, type HttpBench } from '../gateway/doors.ts'
import { ask, isWhole } from '../gateway/rude-client.ts'
import { temporaryFolder, textOf, type Maker } from '../hub/makers.ts'
import { mebibyte, memoryWatch } from './burden.ts'
import { eventually, failureOf, since } from './observe.ts'
import { herd } from './traffic.ts'

/** Fault 12: the same over HTTP. */
export async function slowReader(): Promise<string> {
  const notes: string[] = []
  const limits = { requestsOfOne: 12, unreadBytes: 16 * mebibyte, unreadMs: 1000 }
  const http = { note: (text: string) => void notes.push(text) }
  await using bench = await openHttpBench({ one: fixture('echo') }, { limits, http })
  await using polite = await connectHttp(bench.url, 'modern')
  await look(polite.client)
  const memory = memoryWatch()

  const big = call('one__big', { bytes: 8_000_000 })
  const rude = await Promise.all(Array.from({ length: 12 }, () => ask(bench.url, big)))
  await look(polite.client)
  await eventually('all of them to be cut off', () => notes.length === rude.length)

  const grown = memory.grownBy()
  assert.ok(grown < 400 * mebibyte, `${grown} bytes`)
  assert.deepEqual(new Set(await Promise.all(rude.map(isWhole))), new Set([false]))
  await look(polite.client)
  return 'with a bound of 16 MiB and 1 s, twelve requests for 96 MB of which nothing was read were cut off; meanwhile the other client was answered, though the twelve were as many as may be under way'
}

async function look(client: Client): Promise<void> {
  assert.equal(textOf(await client.callTool({ name: 'one__look', arguments: {} })), 'look')
}

/** Fault 18: what the gateway itself lets in. */
export async function herdAtTheDoor(open: Maker): Promise<string> {
  return `${await herd(open, 400)}; ${await turnedAway()}`
}

/** At the limits that a gateway has by itself. */
async function turnedAway(): Promise<string> {
  await using bench = await openHttpBench({ one: fixture('echo') })
  const slow = call('one__slow', { ms: 500 })
  const answers = await Promise.all(Array.from({ length: 200 }, () => send(bench.url, slow)))

  const answered = answers.filter(({ status, message }) => status === 200 && message.result !== undefined)
  const refused = answers.filter(({ status, headers }) => status === 429 && headers['retry-after'] === '1')
  assert.equal(answered.length + refused.length, answers.length)
  // Some come only when others are done; a busy machine has more of them.
  assert.ok(answered.length >= defaultLimits.requestsOfOne && refused.length > 0, `${answered.length} answered`)
  return `at its own limits, ${answered.length} of 200 answered and the others told by 429 to come back after 1 s`
}

/** Fault 19: in both eras, which have different words for it. */
export async function clientGone(): Promise<string> {
  const told: string[] = []
  for (const era of eras) told.push(await goneFrom(era))
  return `the server was told ${told.join(' and ')}; each time the next call had the one place there is`
}

async function goneFrom(era: EraName): Promise<string> {
  const folder = await temporaryFolder()
  const cancels = join(folder, 'cancels')
  await using bench = await openHttpBench({
    waits: { ...fixture('asks-cancel', { args: [cancels] }), concurrency: 1 },
  })
  const leaving = await (era === 'modern' ? enterModern : enterLegacy)(bench)
  const request = startCall(bench.url, leaving.call)
  // It has reached the server once it is counted, and the server has answered a list since.
  await eventually('the call to run', async () => (await bench.hub.servers())[0]?.stats?.calls === 1)
  await bench.hub.catalogue({ fresh: true })

  const leftAt = performance.now()
  request.destroy()
  await leaving.leave(() => assert.ok(!existsSync(cancels)))
  await eventually('the cancellation', () => existsSync(cancels))
  const told = `${since(leftAt)} after ${leaving.how}`

  const next = bench.hub.call({ server: 'waits', tool: 'wait' }, {}, { idleSeconds: 0.2 })
  assert.equal((await failureOf(next)).code, 'timed_out')
  await eventually('its place at the door to be free', () => bench.door.counts().requests === 0)
  await rm(folder, { recursive: true, force: true })
  return told
}

interface Leaving {
  readonly call: Sent
  readonly how: string
  /** What there is to do besides closing the connection; `check` before it. */
  readonly leave: (check: () => void) => Promise<void>
}

async function enterModern(): Promise<Leaving> {
  return { call: call('waits__wait'), how: 'a modern client’s connection was gone', async leave() {} }
}

/** Up to 2025-11-25 a lost connection is no cancellation, so the specification; the end of the session is. */
async function enterLegacy({ url }: HttpBench): Promise<Leaving> {
  const begun = await send(url, { body: initialize })
  const headers = { 'mcp-session-id': String(begun.headers['mcp-session-id']), 'mcp-protocol-version': '2025-11-25' }
  await send(url, { headers, body: JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }) })
  return {
    call: { headers, body: legacyRequest('tools/call', { name: 'waits__wait', arguments: {} }) },
    how: 'a legacy client had ended its session',
    async leave(check) {
      // An answer to somebody else comes after whatever the gateway did about the lost connection.
      await send(url, { headers, body: JSON.stringify({ jsonrpc: '2.0', id: 3, method: 'ping' }) })
      check()
      await send(url, { method: 'DELETE', headers })
    },
  }
}

function startCall(url: URL, { headers, body }: Sent): ClientRequest {
  const request = httpRequest(url, {
    method: 'POST',
    agent: false,
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
  })
  // We hang up ourselves.
  request.on('error', () => {})
  request.end(body)
  return request
}
