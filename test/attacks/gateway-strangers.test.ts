import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { fixture } from '../fixtures/fixture.ts'
import { connectHttp, openHttpBench, type HttpBench } from '../gateway/doors.ts'
import { bearer, call, initialize, keysFor, legacyRequest, send, withHeaders, type Answer } from './gateway-wire.ts'

const annaAndBen = { http: keysFor('anna', 'ben') }

describe('the session of another', () => {
  test('runs nothing for whoever has found its id, and is not listened to', async () => {
    await using bench = await openHttpBench({ one: fixture('echo') }, annaAndBen)
    const begun = await send(bench.url, { headers: bearer('anna'), body: initialize })
    const session = { 'mcp-session-id': String(begun.headers['mcp-session-id']) }
    const file = join(bench.hub.home, 'calls')
    const body = legacyRequest('tools/call', { name: 'one__count', arguments: { file } })

    const stolen = await send(bench.url, { headers: { ...session, ...bearer('ben') }, body })
    const listening = await send(bench.url, {
      method: 'GET',
      headers: { ...session, ...bearer('ben'), accept: 'text/event-stream' },
    })
    const own = await send(bench.url, { headers: { ...session, ...bearer('anna') }, body })

    expect([stolen.status, listening.status, own.status]).toEqual([404, 404, 200])
    expect(await readFile(file, 'utf8')).toBe('1\n')
  })

  test('is not guessed: ids are long and have nothing in common', async () => {
    await using bench = await openHttpBench({})
    const ids: string[] = []

    for (let count = 0; count < 20; count++) {
      ids.push(String((await send(bench.url, { body: initialize })).headers['mcp-session-id']))
    }

    expect(new Set(ids).size).toBe(20)
    expect(ids.every((id) => /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id))).toBe(
      true,
    )
  })

  test('is not begun under an id that the client has chosen', async () => {
    await using bench = await openHttpBench({})

    const answer = await send(bench.url, { headers: { 'mcp-session-id': 'chosen' }, body: initialize })

    expect(answer.status).toBe(404)
    expect(bench.door.counts().sessions).toBe(0)
  })
})

test('nobody can cancel the call of another by the id of its request', async () => {
  await using bench = await openHttpBench({ one: fixture('echo') }, annaAndBen)
  await using anna = await connectHttp(bench.url, 'modern', { token: 'token-of-anna' })
  const started = Promise.withResolvers<void>()
  const slow = anna.client.callTool(
    { name: 'one__slow', arguments: { ms: 300, steps: 3 } },
    { onprogress: () => started.resolve() },
  )
  await started.promise

  const params = (requestId: number) => ({ requestId, reason: 'mine' })
  for (let id = 0; id < 10; id++) {
    const body = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: params(id) })
    await send(bench.url, { headers: { ...bearer('ben'), 'mcp-protocol-version': '2026-07-28' }, body })
  }

  await expect(slow).resolves.toMatchObject({ content: [{ text: 'done' }] })
})

describe('what a client carries from one round of a call to the next', () => {
  const yes = { action: 'accept', content: { drink: 'tea', cups: 1 } }

  async function asked(bench: HttpBench): Promise<{ readonly state: string; readonly inputResponses: object }> {
    const answer = await send(bench.url, withHeaders(call('one__order'), bearer('anna')))
    const { requestState, inputRequests } = answer.message.result ?? {}
    const keys = Object.keys(inputRequests as object)
    return { state: String(requestState), inputResponses: Object.fromEntries(keys.map((key) => [key, yes])) }
  }

  interface Attempt {
    readonly who?: string
    readonly tool?: string
    readonly args?: object
    readonly change?: (state: string) => string
  }

  const attempts: readonly (readonly [string, Attempt])[] = [
    ['of another caller', { who: 'ben' }],
    ['for another tool', { tool: 'one__insist' }],
    ['with other arguments', { args: { more: true } }],
    ['with its first letter changed', { change: (state) => `${state.startsWith('A') ? 'B' : 'A'}${state.slice(1)}` }],
    ['cut off', { change: (state) => state.slice(0, 30) }],
    ['made longer', { change: (state) => `${state}AAAA` }],
    ['of another gateway', { change: () => Buffer.alloc(200, 7).toString('base64url') }],
    ['as long as a body may be', { change: () => 'A'.repeat(3_000_000) }],
    ['that is empty', { change: () => '' }],
  ]

  describe.each(['legacy', 'modern'])('to a %s server', (era) => {
    const servers = { one: fixture('asks', { args: era === 'legacy' ? ['legacy'] : [] }) }

    // The seal is the same for both: of the newer server only what depends on the request is tried.
    test.each(era === 'legacy' ? attempts : attempts.slice(0, 3))(
      'does not count %s, and still counts for its owner',
      async (_what, attempt) => {
        await using bench = await openHttpBench(servers, annaAndBen)
        const { state, inputResponses } = await asked(bench)
        const { who = 'anna', tool = 'one__order', args = {}, change = (same) => same } = attempt

        const forged = { inputResponses, requestState: change(state) }
        const answer = await send(bench.url, withHeaders(call(tool, args, forged), bearer(who)))
        const own = await goOn(bench, { inputResponses, requestState: state })

        expect(answer.message.error?.code).toBe(-32602)
        expect(own.message.result).toMatchObject({ content: [{ text: '1 tea, kept "as is"' }] })
      },
    )

    test('counts once: shown again, nothing is run', async () => {
      await using bench = await openHttpBench(servers, annaAndBen)
      const { state, inputResponses } = await asked(bench)
      const outcomes: string[] = []
      using _calls = bench.hub.on((event) => event.kind === 'call' && outcomes.push(event.outcome))
      const more = { inputResponses, requestState: state }

      const [first, second] = await Promise.all([goOn(bench, more), goOn(bench, more)])
      const third = await goOn(bench, more)

      const codes = [first, second].map(({ message }) => message.error?.code)
      expect(new Set(codes)).toEqual(new Set([-32602, undefined]))
      expect(third.message.error?.code).toBe(-32602)
      await vi.waitFor(() => expect(outcomes).toEqual(['ok']))
    })

    test('tells its carrier nothing: neither who, nor what, nor what the server keeps in it', async () => {
      await using bench = await openHttpBench(servers, annaAndBen)

      const { state } = await asked(bench)

      const bytes = Buffer.from(state, 'base64url').toString('latin1')
      expect(bytes).not.toMatch(/anna|order|kept/)
    })
  })

  function goOn(bench: HttpBench, more: object): Promise<Answer> {
    return send(bench.url, withHeaders(call('one__order', {}, more), bearer('anna')))
  }
})
