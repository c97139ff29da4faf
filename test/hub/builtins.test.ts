import { InMemoryTransport, type Transport } from '@modelcontextprotocol/client'
import { expect, test } from 'vitest'
import type { BuiltinServer } from '../../src/hub/servers/setup.ts'
import { fixture } from '../fixtures/fixture.ts'
import { buildSdkServer } from '../fixtures/servers/sdk-server.ts'
import { openTestHub, textOf } from './makers.ts'

const echo = { server: 'inside', tool: 'echo' }

function builtin(start: () => Promise<Transport> = startLinked): BuiltinServer {
  return { name: 'inside', description: 'Runs in this process.', start }
}

async function startLinked(): Promise<Transport> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  await buildSdkServer({ name: 'inside', grown: [] }).connect(theirs)
  return ours
}

test('a built-in server is used like any other, without a process', async () => {
  await using hub = await openTestHub({}, { builtins: [builtin()] })

  const { tools, servers } = await hub.catalogue()
  const result = await hub.call(echo, { message: 'from within' })

  expect(tools.map((tool) => tool.id)).toContain('inside.echo')
  expect(servers).toEqual([{ kind: 'listed', server: 'inside' }])
  expect(textOf(result)).toBe('from within')
  expect(await hub.servers()).toMatchObject([
    { description: 'Runs in this process.', state: { kind: 'ready', transport: 'memory' } },
  ])
})

test('a built-in server can be restarted', async () => {
  await using hub = await openTestHub({}, { builtins: [builtin()] })
  await hub.catalogue()

  await hub.control('inside', 'restart')

  expect(textOf(await hub.call(echo, { message: 'again' }))).toBe('again')
})

test('a configured server replaces a built-in one of the same name', async () => {
  await using hub = await openTestHub({ inside: fixture('echo') }, { builtins: [builtin()] })

  await hub.call(echo, { message: 'x' })

  expect(await hub.servers()).toMatchObject([{ name: 'inside', state: { transport: 'stdio' } }])
})

test('a built-in server that fails to start is told like any other, and tried again', async () => {
  let attempts = 0
  const failing = builtin(async () => {
    attempts++
    if (attempts === 1) throw new Error('the disk is full')
    return startLinked()
  })
  await using hub = await openTestHub({}, { builtins: [failing] })

  const first = await hub.catalogue()
  const second = await hub.call(echo, { message: 'x' }).then(() => hub.catalogue())

  expect(first.servers).toMatchObject([
    {
      kind: 'missing',
      error: { code: 'start_failed', server: 'inside', message: expect.stringContaining('the disk is full') },
    },
  ])
  expect(second.servers).toMatchObject([{ kind: 'listed' }])
})

test('a built-in server that never starts does not hold up closing the hub', async () => {
  await using hub = await openTestHub({}, { builtins: [builtin(() => new Promise(() => {}))] })
  const call = hub.call(echo, { message: 'x' }).catch((error: unknown) => error)

  await hub[Symbol.asyncDispose]()

  expect(await call).toMatchObject({ code: 'cancelled' })
})
