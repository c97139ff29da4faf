import { describe, expect, test } from 'vitest'
import type { HubEvent } from '../../src/hub/api.ts'
import { fixture } from '../fixtures/fixture.ts'
import { startHttpServer } from '../fixtures/http-server.ts'
import { openTestHub, temporaryFolder, textOf } from './makers.ts'

async function stateOf(hub: Awaited<ReturnType<typeof openTestHub>>) {
  return (await hub.servers())[0]?.state
}

describe('eras', () => {
  test.each([
    ['a dual-era server over stdio is spoken to in the modern era', 'modern', 'modern'],
    ['a modern-only server over stdio is spoken to in the modern era', 'modern-only', 'modern'],
    ['a legacy server falls back after the probe', 'echo', 'legacy'],
    ['a server that dies of the probe is started again without it', 'exits-on-probe', 'legacy'],
  ] as const)('%s', async (_title, name, era) => {
    await using hub = await openTestHub({ one: fixture(name) })

    const { tools } = await hub.catalogue({ kinds: ['tools'] })

    expect(await stateOf(hub)).toMatchObject({ kind: 'ready', era, transport: 'stdio' })
    expect(tools.length).toBeGreaterThan(0)
  })

  test('a legacy verdict is remembered, so that the next connection sends no probe', async () => {
    const home = await temporaryFolder()
    const methods = async () => {
      const sent: string[] = []
      await using hub = await openTestHub(
        { one: fixture('echo') },
        {
          home,
          tap: (_server, direction, message) =>
            direction === 'sent' && 'method' in message && sent.push(message.method),
        },
      )
      await hub.call({ server: 'one', tool: 'echo' }, { message: 'x' })
      return sent
    }

    const first = await methods()
    const second = await methods()

    expect(first).toContain('server/discover')
    expect(second).not.toContain('server/discover')
    expect(second).toContain('initialize')
  })

  test(
    'a server that is silent on the probe is still reached, and at once the next time',
    { timeout: 20_000 },
    async () => {
      const home = await temporaryFolder()
      {
        await using hub = await openTestHub({ one: fixture('ignores-probe') }, { home })
        expect((await hub.catalogue({ kinds: ['tools'] })).servers).toMatchObject([{ kind: 'listed' }])
      }
      await using again = await openTestHub({ one: fixture('ignores-probe') }, { home, catalogueSeconds: 3 })

      const catalogue = await again.catalogue({ kinds: ['tools'] })

      expect(catalogue.servers).toMatchObject([{ kind: 'listed' }])
    },
  )

  test('a change of the tools is announced in the modern era too', async () => {
    await using hub = await openTestHub({ one: fixture('modern') })
    await hub.catalogue()
    const change = new Promise<HubEvent>((resolve) => hub.on((event) => event.kind === 'catalogue' && resolve(event)))

    await hub.call({ server: 'one', tool: 'grow' }, {})

    expect(await change).toMatchObject({ difference: { kind: 'tools' } })
  })
})

describe('remote servers', () => {
  test.each([
    ['modern', { modern: true, legacy: false }, 'modern'],
    ['both eras', { modern: true, legacy: true }, 'modern'],
    ['legacy with sessions', { modern: false, legacy: true }, 'legacy'],
  ] as const)('over Streamable HTTP, %s: list, call and prompt', async (_title, options, era) => {
    await using server = await startHttpServer(options)
    await using hub = await openTestHub({ web: { url: server.url } })

    const { tools } = await hub.catalogue()
    const result = await hub.call({ server: 'web', tool: 'echo' }, { message: 'over http' })

    expect(tools.map((tool) => tool.tool)).toContain('echo')
    expect(textOf(result)).toBe('over http')
    expect(await stateOf(hub)).toMatchObject({ kind: 'ready', era, transport: 'http' })
  })

  test.each([404, 405] as const)(
    'falls back to the old transport when POST is answered with %i',
    async (postStatus) => {
      await using server = await startHttpServer({ modern: false, legacy: false, sse: true, postStatus })
      await using hub = await openTestHub({ old: { url: server.sseUrl } })

      const result = await hub.call({ server: 'old', tool: 'echo' }, { message: 'over sse' })

      expect(textOf(result)).toBe('over sse')
      expect(await stateOf(hub)).toMatchObject({ transport: 'sse', era: 'legacy' })
    },
  )

  test('type "sse" goes straight to the old transport', async () => {
    await using server = await startHttpServer({ modern: false, legacy: false, sse: true })
    await using hub = await openTestHub({ old: { type: 'sse', url: server.sseUrl } })

    await hub.call({ server: 'old', tool: 'echo' }, { message: 'x' })

    expect(server.requests.filter((request) => request.method === 'POST' && request.path.startsWith('/sse'))).toEqual(
      [],
    )
  })

  test('sends the headers of the entry with every request', async () => {
    await using server = await startHttpServer({ token: 'open-sesame' })
    await using hub = await openTestHub(
      { web: { url: server.url, headers: { Authorization: 'Bearer ${TOKEN}' } } },
      { env: { TOKEN: 'open-sesame' } },
    )

    const result = await hub.call({ server: 'web', tool: 'echo' }, { message: 'in' })

    expect(textOf(result)).toBe('in')
  })

  test.each([
    [401, 'login_needed'],
    [403, 'login_needed'],
    [404, 'transport_failed'],
    [500, 'transport_failed'],
    [503, 'transport_failed'],
  ] as const)('HTTP %i is told as %s, with the next step', async (always, code) => {
    await using server = await startHttpServer({ always })
    await using hub = await openTestHub({ web: { url: server.url } })

    const call = hub.call({ server: 'web', tool: 'echo' }, { message: 'x' })

    await expect(call).rejects.toMatchObject({ code, server: 'web', next: expect.any(String) })
  })

  test('an address where nothing listens is told as refused', async () => {
    const server = await startHttpServer()
    await server[Symbol.asyncDispose]()
    await using hub = await openTestHub({ web: { url: server.url } })

    await expect(hub.catalogue()).resolves.toMatchObject({
      servers: [{ kind: 'missing', error: { code: 'connection_refused' } }],
    })
  })

  test('a remote server that hangs is given up at its start limit', async () => {
    await using server = await startHttpServer({ always: 'hang' })
    await using hub = await openTestHub({ web: { url: server.url, startTimeout: 1 } })

    const call = hub.call({ server: 'web', tool: 'echo' }, { message: 'x' })

    await expect(call).rejects.toMatchObject({ code: 'connect_timed_out' })
  })

  test('cancelling and progress work over HTTP', async () => {
    await using server = await startHttpServer()
    await using hub = await openTestHub({ web: { url: server.url } })
    const seen: number[] = []

    await hub.call({ server: 'web', tool: 'slow' }, { ms: 60 }, { onProgress: ({ progress }) => seen.push(progress) })
    const stop = new AbortController()
    const endless = hub.call(
      { server: 'web', tool: 'slow' },
      { ms: 60_000, steps: 600 },
      { signal: stop.signal, onProgress: () => stop.abort() },
    )

    await expect(endless).rejects.toMatchObject({ code: 'cancelled' })
    expect(seen).toEqual([1, 2, 3])
  })
})

test('a start that takes longer than its limit is told as timed out, with what the server said', async () => {
  await using hub = await openTestHub({ slow: { ...fixture('slow-start', { args: ['20000'] }), startTimeout: 1 } })

  const call = hub.call({ server: 'slow', tool: 'hello' }, {})

  await expect(call).rejects.toMatchObject({ code: 'connect_timed_out', server: 'slow' })
})
