import { expect, test } from 'vitest'
import { CapstanError } from '../../../src/errors.ts'
import type { Connection } from '../../../src/hub/wire/connection.ts'
import { sharedServer, type ServerPlan, type ServerUser } from '../../../src/hub/servers/shared-server.ts'

const limits = { idleMs: 60_000, maxMs: 60_000, patienceMs: 60_000 }

const nobody: ServerUser = { name: 'one', onLog: () => {}, onListChanged: () => {}, onState: () => {} }

function planWith(open: ServerPlan['opens'][number]): ServerPlan {
  return { name: 'one', opens: [open], startMs: 1000, retry: 'safe', isPerCall: false }
}

/** A connection that answers nothing and breaks off when it is closed, as a process does. */
function silentConnection(): Connection {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const lost = () =>
    ended.then((): never => {
      throw new CapstanError('transport_failed', 'The connection was lost.')
    })
  return {
    era: 'legacy',
    protocolVersion: '2025-11-25',
    transport: 'stdio',
    completes: false,
    hasSession: false,
    request: lost,
    callTool: lost,
    list: lost,
    wasNotRun: () => false,
    closed: ended,
    ended,
    close: async () => end(),
  }
}

test('a request that is under way when a server is closed does not start it again', async () => {
  let opened = 0
  const isOpen = Promise.withResolvers<void>()
  const server = sharedServer(
    planWith(async () => {
      opened += 1
      isOpen.resolve()
      return silentConnection()
    }),
    () => {},
  )
  const list = server.lease(nobody).list('tools', limits)
  const outcome = list.catch((error: unknown) => error)
  await isOpen.promise

  await server.close()

  expect(await outcome).toBeInstanceOf(CapstanError)
  expect(opened).toBe(1)
})

test('who waits for the next try of a server when it is closed does not start it again', async () => {
  let tries = 0
  const server = sharedServer(
    planWith(async () => {
      tries += 1
      throw new CapstanError('connection_refused', 'Nothing listens there.')
    }),
    () => {},
  )
  const lease = server.lease(nobody)
  await lease.list('tools', { ...limits, patienceMs: 0 }).catch(() => undefined)
  const waiting = lease.list('prompts', limits).catch((error: unknown) => error)

  await server.close()

  expect(await waiting).toMatchObject({ code: 'cancelled', message: 'Server "one" was stopped.' })
  expect(tries).toBe(1)
})
