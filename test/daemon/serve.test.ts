import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { dialHub } from '../../src/daemon/dial.ts'
import { peerOver, type Peer } from '../../src/daemon/peer.ts'
import { serveHub } from '../../src/daemon/serve.ts'
import { CapstanError } from '../../src/errors.ts'
import type { Hub, HubEvent } from '../../src/hub/api.ts'
import { literalHub, ready } from '../cli/literal-hub.ts'
import { fixture } from '../fixtures/fixture.ts'
import { openTestHub, temporaryFolder, textOf } from '../hub/makers.ts'

const folders: string[] = []
afterEach(async () => {
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true, force: true })))
})

async function socketPath(): Promise<string> {
  const folder = await temporaryFolder()
  folders.push(folder)
  return join(folder, 'hub.sock')
}

/** A client that says what it likes, without the manners of dialHub. */
function rudeClient(path: string): Peer & AsyncDisposable {
  const socket = connect(path)
  const peer = peerOver(socket, {
    onRequest: () => Promise.reject(new Error('a client is not asked')),
    onLost: (method) => new CapstanError('transport_failed', `lost during ${method}`),
  })
  return {
    ...peer,
    async [Symbol.asyncDispose]() {
      socket.destroy()
      await peer.closed
    },
  }
}

/** A hub whose calls wait until they are cancelled, and whose events a test can send. */
function waitingHub(): Hub & { readonly emit: (event: HubEvent) => void; readonly signals: AbortSignal[] } {
  const listeners = new Set<(event: HubEvent) => void>()
  const signals: AbortSignal[] = []
  return {
    ...literalHub({ statuses: [ready('one')] }),
    signals,
    emit: (event) => listeners.forEach((listener) => listener(event)),
    call: async (_tool, _args, { signal } = {}) => {
      if (signal !== undefined) signals.push(signal)
      return new Promise(() => {})
    },
    on(listener) {
      listeners.add(listener)
      return { [Symbol.dispose]: () => void listeners.delete(listener) }
    },
  }
}

/** A server on the socket that is no hub of this version. */
async function strangerAt(path: string, onSocket: (socket: Socket) => void): Promise<AsyncDisposable> {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    onSocket(socket)
  })
  server.listen(path)
  await once(server, 'listening')
  return {
    async [Symbol.asyncDispose]() {
      sockets.forEach((socket) => socket.destroy())
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const tool = { server: 'one', tool: 'wait' }

describe('a served hub', () => {
  test('answers nothing before a hello', async () => {
    const path = await socketPath()
    await using _served = await serveHub(literalHub({ statuses: [ready('one')] }), path)
    await using client = rudeClient(path)

    await expect(client.request('servers', [{}])).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('hello'),
    })
    await client.request('hello', { protocol: 1, version: 'test' })
    expect(await client.request('servers', [{}])).toMatchObject([{ name: 'one' }])
  })

  test.each([[{ protocol: 99 }], [{}], [null], ['hello']])(
    'refuses a client that speaks another version, here %o, and says what to do',
    async (params) => {
      const path = await socketPath()
      await using _served = await serveHub(literalHub({ statuses: [] }), path)
      await using client = rudeClient(path)

      await expect(client.request('hello', params)).rejects.toMatchObject({
        code: 'usage',
        message: expect.stringMatching(/speaks version 1/),
        next: expect.stringContaining('same version'),
      })
      await expect(client.request('servers', [{}])).rejects.toMatchObject({ code: 'usage' })
    },
  )

  test.each([
    ['a method that no hub has', 'destroy', [{}]],
    ['a method of every object', 'toString', [{}]],
    ['the disposal of the hub', 'Symbol.asyncDispose', [{}]],
    ['a subscription as a request', 'on', [{}]],
    ['arguments that are no list', 'servers', {}],
  ])('refuses %s', async (_what, method, params) => {
    const path = await socketPath()
    await using _served = await serveHub(literalHub({ statuses: [] }), path)
    await using client = rudeClient(path)
    await client.request('hello', { protocol: 1 })

    await expect(client.request(method, params)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining(method),
    })
  })

  test('cancels the calls of a client that goes away, and no others', async () => {
    const path = await socketPath()
    const hub = waitingHub()
    await using _served = await serveHub(hub, path)
    const leaving = await dialHub(path)
    await using staying = await dialHub(path)
    const lost = leaving.call(tool, {})
    await vi.waitFor(() => expect(hub.signals).toHaveLength(1))
    const kept = staying.call(tool, {})
    await vi.waitFor(() => expect(hub.signals).toHaveLength(2))

    await leaving[Symbol.asyncDispose]()

    await expect(lost).rejects.toMatchObject({ code: 'outcome_unknown' })
    await vi.waitFor(() => expect(hub.signals.map((signal) => signal.aborted)).toEqual([true, false]))
    await staying[Symbol.asyncDispose]()
    await expect(kept).rejects.toMatchObject({ code: 'outcome_unknown' })
  })

  test('tells events to those who listen, and to nobody else', async () => {
    const path = await socketPath()
    const hub = waitingHub()
    await using _served = await serveHub(hub, path)
    await using listening = await dialHub(path)
    await using other = rudeClient(path)
    const seen: HubEvent[] = []
    const event: HubEvent = { kind: 'call', tool, ms: 1, outcome: 'ok' }
    const [first, second] = [listening.on((heard) => seen.push(heard)), listening.on((heard) => seen.push(heard))]
    await other.request('hello', { protocol: 1 })
    await listening.servers()

    hub.emit(event)
    await listening.servers()
    expect(seen).toEqual([event, event])

    first[Symbol.dispose]()
    second[Symbol.dispose]()
    hub.emit(event)
    await listening.servers()
    expect(seen).toHaveLength(2)
  })

  test('ends its connections when it is closed, but not the hub', async () => {
    const path = await socketPath()
    await using hub = await openTestHub({ one: fixture('echo') })
    const served = await serveHub(hub, path)
    await using client = await dialHub(path)
    const pid = textOf(await client.call({ server: 'one', tool: 'pid' }, {}))

    await served[Symbol.asyncDispose]()

    await expect(client.servers()).rejects.toMatchObject({ code: 'transport_failed' })
    expect(textOf(await hub.call({ server: 'one', tool: 'pid' }, {}))).toBe(pid)
    expect(existsSync(path)).toBe(false)
  })

  test('fails to start on a socket that cannot be made', async () => {
    const path = await socketPath()
    await writeFile(path, '')

    await expect(serveHub(literalHub({ statuses: [] }), path)).rejects.toMatchObject({ code: 'EADDRINUSE' })
  })
})

describe('a dialled hub', () => {
  test('shares the servers of one hub with another client', async () => {
    const path = await socketPath()
    await using hub = await openTestHub({ one: fixture('echo') })
    await using _served = await serveHub(hub, path)
    await using left = await dialHub(path)
    await using right = await dialHub(path)

    const results = await Promise.all([left, right].map((client) => client.call({ server: 'one', tool: 'pid' }, {})))

    expect(new Set(results.map(textOf)).size).toBe(1)
  })

  test('reports the hub’s own errors with server and next step', async () => {
    const path = await socketPath()
    await using hub = await openTestHub({ one: { command: 'no-such-program-here' } })
    await using _served = await serveHub(hub, path)
    await using client = await dialHub(path)

    const failure = await client.call({ server: 'one', tool: 'x' }, {}).catch((error: unknown) => error)

    expect(failure).toBeInstanceOf(CapstanError)
    expect(failure).toMatchObject({ code: 'start_failed', server: 'one', next: expect.any(String) })
  })

  test('says that nobody answers where there is no socket', async () => {
    const path = await socketPath()

    await expect(dialHub(path)).rejects.toMatchObject({
      code: 'connection_refused',
      message: expect.stringContaining(path),
      next: expect.any(String),
    })
  })

  test('leaves the outcome of a call unknown when the connection is lost, and says that it was not repeated', async () => {
    const path = await socketPath()
    const hub = waitingHub()
    const served = await serveHub(hub, path)
    await using client = await dialHub(path)
    const call = client.call(tool, {})
    await vi.waitFor(() => expect(hub.signals).toHaveLength(1))

    await served[Symbol.asyncDispose]()

    await expect(call).rejects.toMatchObject({
      code: 'outcome_unknown',
      message: expect.stringContaining('not repeated'),
    })
  })

  test.each([
    ['cancelled', 'an abort', () => AbortSignal.abort(), 'Cancelled: tools/call at server "one".'],
    ['timed_out', 'a timeout', () => AbortSignal.timeout(1), 'Time ran out for tools/call at server "one".'],
  ])('reads as %s after %s, as a hub in this process does', async (code, _what, signal, message) => {
    const path = await socketPath()
    const hub = waitingHub()
    await using _served = await serveHub(hub, path)
    await using client = await dialHub(path)

    await expect(client.call(tool, {}, { signal: signal() })).rejects.toMatchObject({ code, message, server: 'one' })
  })

  test('that is refused leaves no connection behind', async () => {
    const path = await socketPath()
    const closed = Promise.withResolvers<void>()
    await using _stranger = await strangerAt(path, (socket) => {
      const { closed: gone } = peerOver(socket, {
        onRequest: () => Promise.reject(new CapstanError('usage', 'another version', { next: 'Update.' })),
        onLost: () => new CapstanError('cancelled', 'gone'),
      })
      closed.resolve(gone)
    })

    await expect(dialHub(path)).rejects.toMatchObject({ code: 'usage', message: 'another version', next: 'Update.' })

    await closed.promise
  })

  test('can be given up before anybody answers', async () => {
    const path = await socketPath()
    const accepted = Promise.withResolvers<Socket>()
    await using _stranger = await strangerAt(path, (socket) => accepted.resolve(socket.resume()))
    const stop = new AbortController()
    const dialling = dialHub(path, { signal: stop.signal })
    const socket = await accepted.promise

    stop.abort()

    await expect(dialling).rejects.toMatchObject({ code: 'cancelled' })
    await once(socket, 'close')
  })

  test('is not even tried with a signal that is already aborted', async () => {
    const path = await socketPath()

    await expect(dialHub(path, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'cancelled' })
  })
})
