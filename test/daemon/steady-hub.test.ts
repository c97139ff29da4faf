import { expect, test, vi } from 'vitest'
import { steadyHub, type Reached } from '../../src/daemon/steady-hub.ts'
import type { Hub, HubEvent } from '../../src/hub/api.ts'
import { literalHub, ready } from '../cli/literal-hub.ts'

/** Hubs that are opened one after the other, each of which can be lost. */
function hubs() {
  const opened: { readonly lose: () => void; readonly say: (event: HubEvent) => void; isClosed: boolean }[] = []
  const open = async (): Promise<Reached> => {
    const lost = Promise.withResolvers<void>()
    const listeners = new Set<(event: HubEvent) => void>()
    const entry = {
      lose: lost.resolve,
      say: (event: HubEvent) => listeners.forEach((listener) => listener(event)),
      isClosed: false,
    }
    opened.push(entry)
    const hub: Hub = {
      ...literalHub({ statuses: [ready(`number-${opened.length}`)] }),
      on(listener) {
        listeners.add(listener)
        return { [Symbol.dispose]: () => void listeners.delete(listener) }
      },
      async [Symbol.asyncDispose]() {
        entry.isClosed = true
      },
    }
    return { hub, lost: lost.promise }
  }
  return { opened, open }
}

const event: HubEvent = { kind: 'state', server: 'one', state: { kind: 'idle' } }
const nameOf = async (hub: Hub) => (await hub.servers())[0]?.name

test('a hub is opened with its first use, once for all who use it', async () => {
  const { opened, open } = hubs()
  await using hub = steadyHub({ open, onReopened: () => {}, note: () => {} })
  expect(opened).toHaveLength(0)

  const names = await Promise.all([nameOf(hub), nameOf(hub)])

  expect(names).toEqual(['number-1', 'number-1'])
})

test('a hub that was lost is opened again, and its listeners hear the new one', async () => {
  const { opened, open } = hubs()
  const heard = vi.fn<(event: HubEvent) => void>()
  const onReopened = vi.fn<() => void>()
  await using hub = steadyHub({ open, onReopened, note: () => {}, firstPauseMs: 1 })
  using _listening = hub.on(heard)
  await nameOf(hub)

  opened[0]?.lose()
  await vi.waitFor(() => expect(onReopened).toHaveBeenCalledTimes(1))
  opened[1]?.say(event)

  expect(heard).toHaveBeenCalledWith(event)
  expect(await nameOf(hub)).toBe('number-2')
})

test('a hub that cannot be opened says so to its caller, and is tried again for the next one', async () => {
  const { open } = hubs()
  let isBroken = true
  const opening = () => (isBroken ? Promise.reject(new Error('nobody there')) : open())
  await using hub = steadyHub({ open: opening, onReopened: () => {}, note: () => {} })

  await expect(hub.servers()).rejects.toThrow('nobody there')
  isBroken = false

  expect(await nameOf(hub)).toBe('number-1')
})

test('a hub that is replaced ends when its last request has been answered', async () => {
  const { opened, open } = hubs()
  const answer = Promise.withResolvers<never[]>()
  const slow = async (): Promise<Reached> => {
    const reached = await open()
    return { ...reached, hub: { ...reached.hub, logs: () => answer.promise } }
  }
  await using hub = steadyHub({ open: slow, onReopened: () => {}, note: () => {} })
  const underWay = hub.logs('one')
  await nameOf(hub)

  await hub.replace()
  expect([await nameOf(hub), opened[0]?.isClosed]).toEqual(['number-2', false])
  answer.resolve([])
  await underWay

  expect(opened[0]?.isClosed).toBe(true)
})
