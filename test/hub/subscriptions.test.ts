import { describe, expect, test, vi } from 'vitest'
import type { HubEvent } from '../../src/hub/api.ts'
import { fixture } from '../fixtures/fixture.ts'
import { makers, textOf } from './makers.ts'

const note = { server: 'one', uri: 'note://live' }

describe.each(makers)('%s', (_name, open) => {
  describe.each(['legacy', 'modern'])('with a %s server', (era) => {
    const servers = { one: fixture('changes-resource', { args: era === 'legacy' ? ['legacy'] : [] }) }

    test('tells of changes of a resource while somebody follows it', async () => {
      await using hub = await open(servers)
      const heard: HubEvent[] = []
      using _listening = hub.on((event) => event.kind === 'resource' && heard.push(event))
      const touch = () => hub.call({ server: 'one', tool: 'touch' }, {})

      await hub.subscribe(note)
      await hub.subscribe(note)
      await touch()
      await vi.waitFor(() => expect(heard).toEqual([{ kind: 'resource', ...note }]))
      await hub.unsubscribe(note)
      await touch()
      await vi.waitFor(() => expect(heard).toHaveLength(2))
      await hub.unsubscribe(note)
      await vi.waitFor(async () => expect(textOf(await touch())).toMatch(/ 0$/))

      expect(heard.length).toBeLessThanOrEqual(3)
    })

    test('goes on after the server has come back, and tells that something may have changed meanwhile', async () => {
      await using hub = await open(servers)
      const heard = vi.fn<() => void>()
      using _listening = hub.on((event) => event.kind === 'resource' && heard())
      await hub.subscribe(note)

      await hub.call({ server: 'one', tool: 'die' }, {}).catch(() => undefined)
      await vi.waitFor(() => expect(heard).toHaveBeenCalledTimes(1), { timeout: 10_000 })
      await hub.call({ server: 'one', tool: 'touch' }, {})

      await vi.waitFor(() => expect(heard).toHaveBeenCalledTimes(2))
    })
  })

  test('says that a server does not tell of changes', async () => {
    await using hub = await open({ one: fixture('echo') })

    await expect(hub.subscribe({ server: 'one', uri: 'note://one' })).rejects.toMatchObject({ code: 'server_error' })
  })
})
