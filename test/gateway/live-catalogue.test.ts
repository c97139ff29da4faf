import { describe, expect, test, vi } from 'vitest'
import { liveCatalogue } from '../../src/gateway/live-catalogue.ts'
import { noPins } from '../../src/gateway/pins.ts'
import { openView } from '../../src/gateway/view.ts'
import { buildCatalogue, noLists } from '../../src/hub/catalogue/catalogue.ts'
import type { Catalogue, Hub, HubEvent, ServerState, ToolEntry } from '../../src/hub/api.ts'
import { literalHub, ready, toolOf } from '../cli/literal-hub.ts'

function seenWith(server: string, ...tools: readonly ToolEntry[]): Catalogue {
  return buildCatalogue([{ coverage: { kind: 'cached', server, savedAtMs: 1 }, lists: { ...noLists, tools } }])
}

/** A hub whose events a test can send, and whose lists it can change. */
function shiftingHub(first: readonly ToolEntry[], names: readonly string[] = ['one']) {
  const listeners = new Set<(event: HubEvent) => void>()
  const shown = { tools: first, asked: 0, answer: Promise.resolve() }
  const hub: Hub = {
    ...literalHub({ statuses: names.map((name) => ready(name)) }),
    async catalogue({ servers = [] } = {}) {
      shown.asked += 1
      await shown.answer
      const tools = shown.tools.filter(({ server }) => servers.includes(server))
      return buildCatalogue(
        servers.map((server) => ({ coverage: { kind: 'listed' as const, server }, lists: { ...noLists, tools } })),
      )
    },
    on(listener) {
      listeners.add(listener)
      return { [Symbol.dispose]: () => void listeners.delete(listener) }
    },
  }
  const say = (event: HubEvent) => listeners.forEach((listener) => listener(event))
  return { hub, shown, say }
}

function state(server: string, next: ServerState): HubEvent {
  return { kind: 'state', server, state: next }
}

const options = { isWanted: () => true, note: () => {}, settleMs: 5 }
const difference = { kind: 'tools', added: [], removed: [], changed: [] } as const

describe('the catalogue at hand', () => {
  test('is what was seen before, at once, while the servers are asked behind it', async () => {
    const { hub, shown } = shiftingHub([toolOf('one', 'new')])
    shown.answer = new Promise(() => {})
    using live = liveCatalogue(hub, {
      ...options,
      seen: { catalogue: seenWith('one', toolOf('one', 'old')), isWhole: true },
    })

    const { tools } = await live.now()

    expect(tools.map(({ id }) => id)).toEqual(['one.old'])
  })

  test('tells what is different once the servers have answered', async () => {
    const { hub } = shiftingHub([toolOf('one', 'new')])
    const told = vi.fn<(kinds: ReadonlySet<string>) => void>()
    using live = liveCatalogue(hub, {
      ...options,
      seen: { catalogue: seenWith('one', toolOf('one', 'old')), isWhole: true },
    })
    using _listening = live.onChange(told)

    await vi.waitFor(() => expect(told).toHaveBeenCalled())

    expect([...(told.mock.calls[0]?.[0] ?? [])]).toEqual(['tools'])
    expect((await live.now()).tools.map(({ id }) => id)).toEqual(['one.new'])
  })

  test('says nothing when what was seen is still true', async () => {
    const { hub, shown } = shiftingHub([toolOf('one', 'same')])
    const told = vi.fn<() => void>()
    using live = liveCatalogue(hub, {
      ...options,
      seen: { catalogue: seenWith('one', toolOf('one', 'same')), isWhole: true },
    })
    using _listening = live.onChange(told)

    await vi.waitFor(() => expect(shown.asked).toBe(1))
    await live.refresh()
    await vi.waitFor(() => expect(shown.asked).toBe(2))

    expect(told).not.toHaveBeenCalled()
  })

  test('waits for a server that was never seen', async () => {
    const { hub } = shiftingHub([toolOf('one', 'a'), toolOf('two', 'b')], ['one', 'two'])
    using live = liveCatalogue(hub, {
      ...options,
      seen: { catalogue: seenWith('one', toolOf('one', 'a')), isWhole: false },
    })

    expect((await live.now()).tools.map(({ id }) => id)).toEqual(['one.a', 'two.b'])
  })

  test('gathers changes of the same moment into one word', async () => {
    const { hub, shown, say } = shiftingHub([toolOf('one', 'a'), toolOf('two', 'a')], ['one', 'two'])
    using live = liveCatalogue(hub, { ...options, settleMs: 30 })
    await live.now()
    await new Promise((resolve) => void live.onChange(resolve))
    const told = vi.fn<() => void>()
    using _listening = live.onChange(told)
    shown.tools = [toolOf('one', 'b'), toolOf('two', 'b')]

    say({ kind: 'catalogue', server: 'one', difference })
    say({ kind: 'catalogue', server: 'two', difference })
    say({ kind: 'catalogue', server: 'one', difference })
    await vi.waitFor(async () => expect((await live.now()).tools.map(({ id }) => id)).toEqual(['one.b', 'two.b']))
    await vi.waitFor(() => expect(told).toHaveBeenCalledTimes(1))
  })

  test('keeps the list of a server that is gone, with the reason', async () => {
    const { hub } = shiftingHub([toolOf('one', 'a')])
    const error = { code: 'start_failed' as const, message: 'It is gone.' }
    const gone: Hub = {
      ...hub,
      catalogue: async () => buildCatalogue([{ coverage: { kind: 'missing', server: 'one', error }, lists: noLists }]),
    }
    using live = liveCatalogue(gone, {
      ...options,
      seen: { catalogue: seenWith('one', toolOf('one', 'a')), isWhole: true },
    })

    await vi.waitFor(async () =>
      expect((await live.now()).servers).toEqual([{ kind: 'missing', server: 'one', error }]),
    )
    expect((await live.now()).tools.map(({ id }) => id)).toEqual(['one.a'])
  })

  test('marks the list of a server that goes down, and takes the mark off when it is back', async () => {
    const { hub, say } = shiftingHub([toolOf('one', 'a')])
    const error = { code: 'transport_failed' as const, message: 'It ended by itself.' }
    const told = vi.fn<() => void>()
    using live = liveCatalogue(hub, options)
    await live.now()
    await new Promise((resolve) => void live.onChange(resolve))
    using _listening = live.onChange(told)

    say(state('one', { kind: 'backing_off', error, stderrTail: [], nextTryAtMs: 1, failures: 1 }))
    const down = await live.now()
    say(state('one', ready('one').state))
    await vi.waitFor(async () => expect((await live.now()).servers).toEqual([{ kind: 'listed', server: 'one' }]))

    expect(down.servers).toEqual([{ kind: 'stale', server: 'one', error }])
    expect(down.tools.map(({ id }) => id)).toEqual(['one.a'])
    expect(told).not.toHaveBeenCalled()
  })

  test('asks nothing of a server that waits for a login: that would try it again and again', async () => {
    const { hub, shown, say } = shiftingHub([toolOf('one', 'a')])
    const error = { code: 'login_needed' as const, message: 'Log in.' }
    using live = liveCatalogue(hub, options)
    await live.now()

    say(state('one', { kind: 'needs_login', error }))

    expect((await live.now()).servers).toEqual([{ kind: 'stale', server: 'one', error }])
    expect(shown.asked).toBe(1)
  })

  test('has the list of a server that answers only after the deadline', async () => {
    const { hub } = shiftingHub([toolOf('one', 'a')])
    const error = { code: 'connect_timed_out' as const, message: 'It did not answer.' }
    const late = buildCatalogue([{ coverage: { kind: 'missing', server: 'one', error }, lists: noLists }])
    let asked = 0
    const slow: Hub = { ...hub, catalogue: async (wishes) => (++asked < 3 ? late : hub.catalogue(wishes)) }
    using live = liveCatalogue(slow, { ...options, lateMs: 5 })

    const first = await live.now()
    await vi.waitFor(async () => expect((await live.now()).tools.map(({ id }) => id)).toEqual(['one.a']))

    expect(first).toMatchObject({ tools: [], servers: [{ kind: 'missing', error }] })
  })

  test('finds a tool whose server was mended without a word: its caller gives it another try', async () => {
    const { hub } = shiftingHub([toolOf('one', 'a')])
    const error = { code: 'start_failed' as const, message: 'The command was not found.' }
    const missing = buildCatalogue([{ coverage: { kind: 'missing', server: 'one', error }, lists: noLists }])
    let isMended = false
    const broken: Hub = { ...hub, catalogue: async (wishes) => (isMended ? hub.catalogue(wishes) : missing) }
    using view = openView(broken, {
      caller: { name: 'local', rules: [], mode: 'all' },
      naming: { hasPrefix: true },
      pins: noPins,
      trustsHints: () => false,
      note: () => {},
    })

    await expect(view.tool('one__a')).rejects.toMatchObject(error)
    isMended = true

    expect(await view.tool('one__a')).toMatchObject({ id: 'one.a' })
    await expect(view.tool('one__b')).rejects.toMatchObject({ code: 'tool_unknown' })
  })
})
