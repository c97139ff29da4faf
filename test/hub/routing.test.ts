import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import type { Life } from '../../src/hub/servers/life.ts'
import { CapstanError } from '../../src/errors.ts'
import { inOrderOfChoice, type Copy } from '../../src/hub/servers/server-copies.ts'
import { fixture, type FixtureEntry } from '../fixtures/fixture.ts'
import { startHttpServer } from '../fixtures/http-server.ts'
import { inlineServer } from './inline-server.ts'
import { makers, openTestHub, textOf, type TestHub } from './makers.ts'
import { scratchFolder } from './scratch-folder.ts'

const error = new CapstanError('transport_failed', 'It broke.')
const lives: Readonly<Record<Life['kind'], Life>> = {
  idle: { kind: 'idle' },
  connecting: { kind: 'connecting', sinceMs: 0 },
  ready: { kind: 'ready', sinceMs: 0 },
  backing_off: { kind: 'backing_off', error, nextTryAtMs: 0 },
  needs_login: { kind: 'needs_login', error, sinceMs: 0 },
  failed: { kind: 'failed', error, sinceMs: 0 },
}

function copyIn(kind: Life['kind'], outstanding = 0): Copy {
  const unused = () => Promise.reject(new Error('not used here'))
  return {
    life: () => lives[kind],
    failures: () => 0,
    ready: () => undefined,
    starts: () => 0,
    use: unused,
    giveUp: unused,
    reset: () => {},
    close: unused,
    outstanding,
    silent: 0,
  }
}

describe('the choice of a copy', () => {
  test.each<[string, readonly Copy[], number]>([
    ['the one with the least to do', [copyIn('ready', 3), copyIn('ready', 1), copyIn('ready', 2)], 1],
    ['one that is ready before one that has to be started', [copyIn('idle'), copyIn('ready')], 1],
    ['one that has to be started before one that is at work', [copyIn('ready', 1), copyIn('idle')], 1],
    ['none that backs off, however busy the others are', [copyIn('backing_off'), copyIn('ready', 9)], 1],
    ['none that has failed for good', [copyIn('failed'), copyIn('idle', 5)], 1],
    ['none that wants a login', [copyIn('needs_login'), copyIn('connecting', 5)], 1],
    ['the first of equals', [copyIn('ready', 1), copyIn('ready', 1)], 0],
    ['one that is down where all are', [copyIn('failed', 1), copyIn('backing_off')], 1],
  ])('is %s', (_title, copies, index) => {
    expect(inOrderOfChoice(copies, undefined)[0]).toBe(copies[index])
  })

  test('is the copy that holds the session, however much it has to do, until it is down', () => {
    const [own, other] = [copyIn('ready', 9), copyIn('ready')]
    const lost = copyIn('backing_off')

    expect(inOrderOfChoice([other, own], own)[0]).toBe(own)
    expect(inOrderOfChoice([other, lost], lost)[0]).toBe(other)
  })

  test('leaves nobody out', () => {
    const copies = [copyIn('failed'), copyIn('ready', 2), copyIn('idle')]

    expect(new Set(inOrderOfChoice(copies, undefined))).toEqual(new Set(copies))
  })
})

/** Tool `work` says who did it, after a while; `pid` at once. */
const worker: FixtureEntry = inlineServer(`
  const work = async () => { await new Promise((resolve) => setTimeout(resolve, 200)); return String(process.pid) }
  const tools = [{ name: 'work', inputSchema: object, run: work }, { name: 'pid', inputSchema: object, run: () => String(process.pid) }]
  serveRaw({ name: 'worker', tools })
`)

function ask(hub: TestHub, tool: string, server = 'one'): Promise<string> {
  return hub.call({ server, tool }, {}).then(textOf)
}

async function askAtOnce(hub: TestHub, tool: string, count: number): Promise<readonly string[]> {
  return Promise.all(Array.from({ length: count }, () => ask(hub, tool)))
}

describe.each(makers)('copies of one server (%s)', (_maker, open) => {
  test('calls of the same moment are spread over all of them, from the first moment on', async () => {
    await using hub = await open({ one: { ...worker, replicas: 3 } })

    const cold = await askAtOnce(hub, 'work', 6)
    const warm = await askAtOnce(hub, 'work', 6)

    expect(new Set(cold).size).toBe(3)
    expect(new Set(warm)).toEqual(new Set(cold))
    expect((await hub.servers())[0]?.stats).toMatchObject({ calls: 12, copies: { ready: 3, all: 3 } })
  })

  test('one call at a time starts one copy only', async () => {
    await using hub = await open({ one: { ...worker, replicas: 3 } })

    const pids = [await ask(hub, 'pid'), await ask(hub, 'pid'), await ask(hub, 'pid')]

    expect(new Set(pids).size).toBe(1)
    expect((await hub.servers())[0]?.stats?.copies).toEqual({ ready: 1, all: 3 })
  })

  test('one that is killed is set aside, the others answer meanwhile, and it is used again', async () => {
    await using hub = await open({ one: { ...worker, replicas: 2 } })
    // The second copy may come up a moment after the first has taken both.
    const [first = '', second = ''] = await vi.waitFor(async () => {
      const pids = new Set(await askAtOnce(hub, 'work', 2))
      expect(pids.size).toBe(2)
      return pids
    })

    process.kill(Number(first), 'SIGKILL')
    await vi.waitFor(async () => expect(await ask(hub, 'pid')).toBe(second))

    await vi.waitFor(
      async () => {
        const pids = new Set(await askAtOnce(hub, 'work', 2))
        expect(pids.size).toBe(2)
        expect(pids).not.toContain(first)
      },
      { timeout: 20_000 },
    )
  })
})

describe('one server at several addresses', () => {
  test('an address where nothing listens is set aside, and another one answers', async () => {
    await using good = await startHttpServer({ legacy: false })
    const bad = await startHttpServer()
    await bad[Symbol.asyncDispose]()
    await using hub = await openTestHub({ web: { urls: [bad.url, good.url] } })

    const answer = await hub.call({ server: 'web', tool: 'echo' }, { message: 'still there' })

    expect(textOf(answer)).toBe('still there')
    expect((await hub.servers())[0]).toMatchObject({
      state: { kind: 'ready' },
      stats: { copies: { ready: 1, all: 2 } },
    })
  })

  test('without sessions, calls of the same moment go to both', async () => {
    await using left = await startHttpServer({ legacy: false })
    await using right = await startHttpServer({ legacy: false })
    await using hub = await openTestHub({ web: { urls: [left.url, right.url] } })
    const slow = () => hub.call({ server: 'web', tool: 'slow' }, { ms: 100, steps: 1 })

    await Promise.all([slow(), slow(), slow(), slow()])

    expect([left, right].map(toolCalls)).toEqual([2, 2])
  })

  test('with sessions, all calls go where the session is, and elsewhere once that has gone', async () => {
    const left = await startHttpServer({ modern: false })
    await using right = await startHttpServer({ modern: false })
    await using hub = await openTestHub({ web: { urls: [left.url, right.url] } })
    const slow = () => hub.call({ server: 'web', tool: 'slow' }, { ms: 50, steps: 1 })
    await slow()

    await Promise.all([slow(), slow(), slow()])
    const before = [left, right].map(toolCalls)
    await left[Symbol.asyncDispose]()
    // The call that finds the address gone may be lost; those after it go to the other one.
    await slow().catch(() => undefined)
    await Promise.all([slow(), slow()])

    expect(before).toEqual([4, 0])
    expect(toolCalls(right)).toBeGreaterThanOrEqual(2)
  })
})

function toolCalls({ requests }: Awaited<ReturnType<typeof startHttpServer>>): number {
  return requests.filter(({ body }) => (Object(body) as { readonly method?: unknown }).method === 'tools/call').length
}

describe.each(makers)('"concurrency" (%s)', (_maker, open) => {
  test('is how many calls run at once; the others wait for their turn', async () => {
    const entry = inlineServer(`
      let inside = 0
      const run = async () => {
        inside += 1
        const seen = inside
        await new Promise((resolve) => setTimeout(resolve, 50))
        inside -= 1
        return String(seen)
      }
      serveRaw({ name: 'crowd', tools: [{ name: 'enter', inputSchema: object, run }] })
    `)
    await using hub = await open({ one: { ...entry, concurrency: 2 } })

    const seen = await askAtOnce(hub, 'enter', 9)

    expect(new Set(seen)).toEqual(new Set(['1', '2']))
  })

  test('has a line of a hundred: who comes after that is refused at once, with the reason', async () => {
    await using hub = await open({ one: { ...fixture('echo'), concurrency: 1 } })
    const { promise: isRunning, resolve: onProgress } = Promise.withResolvers<unknown>()
    const stop = new AbortController()
    const slow = hub.call(
      { server: 'one', tool: 'slow' },
      { ms: 60_000, steps: 600 },
      { onProgress, signal: stop.signal },
    )
    const outcome = slow.catch((reason: unknown) => reason)
    await isRunning

    const others = Array.from({ length: 105 }, () => ask(hub, 'look').catch((reason: unknown) => reason))
    const refused = await Promise.all(others.slice(100))
    stop.abort()

    expect(refused).toEqual(
      Array.from({ length: 5 }, () => expect.objectContaining({ code: 'limit_exceeded', server: 'one' })),
    )
    expect(await outcome).toMatchObject({ code: 'cancelled' })
    expect(await Promise.all(others.slice(0, 100))).toEqual(Array.from({ length: 100 }, () => 'look'))
  })
})

describe.each(makers)('"fallback" (%s)', (_maker, open) => {
  test('is asked for the same tool when a server cannot be reached, and the result says so', async () => {
    await using hub = await open({ one: { command: 'no-such-program-here', fallback: 'two' }, two: fixture('echo') })

    const result = await hub.call({ server: 'one', tool: 'echo' }, { message: 'from elsewhere' })

    expect(textOf(result)).toBe('from elsewhere')
    expect(result.warnings).toEqual([
      expect.stringMatching(/"one" could not be reached, so its fallback "two" was asked\. .*no-such-program-here/),
    ])
  })

  test('is not asked once the call has been sent, even if the server dies of it', async () => {
    const file = join(await scratchFolder(), 'calls')
    const frail = { ...fixture('exits-mid-call', { args: [file] }), fallback: 'two' }
    await using hub = await open({ one: frail, two: fixture('exits-mid-call', { args: [file] }) })

    const call = ask(hub, 'crash')

    await expect(call).rejects.toMatchObject({ code: 'outcome_unknown', server: 'one' })
    expect(linesIn(file)).toBe(1)
  })

  test('that cannot be reached either leaves the first reason', async () => {
    await using hub = await open({ one: { command: 'no-such-one', fallback: 'two' }, two: { command: 'no-such-two' } })

    const call = ask(hub, 'hello')

    await expect(call).rejects.toMatchObject({ server: 'one', message: expect.stringContaining('no-such-one') })
  })
})

describe.each(makers)('a server that is killed in the middle of a call (%s)', (_maker, open) => {
  test.each([
    ['peek', 'only reads'],
    ['put', 'may be repeated'],
  ])('gets it once more when its tool (%s) says that it %s', async (tool) => {
    const file = join(await scratchFolder(), 'calls')
    await using hub = await open({ one: fixture('exits-mid-call', { args: [file] }) })

    expect(await ask(hub, tool)).toBe('survived')

    expect(linesIn(file)).toBe(2)
    expect((await hub.logs('one')).map(({ text }) => text)).toContain('Sent once more, because that does no harm.')
  })

  test('does not get it again when its tool says nothing, and the outcome is said to be unknown', async () => {
    const file = join(await scratchFolder(), 'calls')
    await using hub = await open({ one: fixture('exits-mid-call', { args: [file] }) })

    const call = ask(hub, 'crash')

    await expect(call).rejects.toMatchObject({
      code: 'outcome_unknown',
      message: expect.stringContaining('Whether the tool ran is unknown; it was not repeated.'),
    })
    expect(linesIn(file)).toBe(1)
  })

  test('does not get it again with "retry": "never", whatever its tool says', async () => {
    const file = join(await scratchFolder(), 'calls')
    await using hub = await open({ one: { ...fixture('exits-mid-call', { args: [file] }), retry: 'never' } })

    const call = ask(hub, 'peek')

    await expect(call).rejects.toMatchObject({ code: 'outcome_unknown' })
    expect(linesIn(file)).toBe(1)
  })
})

function linesIn(file: string): number {
  return readFileSync(file, 'utf8').trim().split('\n').length
}
