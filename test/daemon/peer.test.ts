import { once } from 'node:events'
import { expect, test, vi } from 'vitest'
import { peerOver, type Handler, type Peer, type PeerOptions } from '../../src/daemon/peer.ts'
import { CapstanError } from '../../src/errors.ts'
import { socketPair, type SocketPair } from './socket-pair.ts'

const onLost = (method: string): CapstanError => new CapstanError('transport_failed', `lost during ${method}`)
const refuse: Handler = (method) => Promise.reject(new CapstanError('usage', `no ${method} here`))

interface Talk extends AsyncDisposable {
  readonly asking: Peer
  readonly answering: Peer
  readonly sockets: SocketPair
}

/** Two peers on one socket: one asks, the other answers with the handler. */
async function talk(onRequest: Handler, rest: Partial<PeerOptions> = {}): Promise<Talk> {
  const sockets = await socketPair()
  return {
    sockets,
    answering: peerOver(sockets.far, { onRequest, onLost, ...rest }),
    asking: peerOver(sockets.near, { onRequest: refuse, onLost }),
    [Symbol.asyncDispose]: () => sockets[Symbol.asyncDispose](),
  }
}

test('a request gets the value that the other end returned for it', async () => {
  await using pair = await talk(async (method, params) => ({ method, params }))

  const answer = await pair.asking.request('greet', ['hello', { loud: true }])

  expect(answer).toEqual({ method: 'greet', params: ['hello', { loud: true }] })
})

test('both ends may ask, and a question may be asked in the middle of an answer', async () => {
  await using sockets = await socketPair()
  const near = peerOver(sockets.near, { onRequest: async () => 'Ada', onLost })
  const far: Peer = peerOver(sockets.far, {
    onRequest: async () => `Hello ${String(await far.request('name', {}))}`,
    onLost,
  })

  expect(await near.request('greet', {})).toBe('Hello Ada')
})

test('answers find their own requests, in whatever order they come', async () => {
  const gates = new Map<string, () => void>()
  await using pair = await talk(async (method) => {
    await new Promise<void>((resolve) => gates.set(method, resolve))
    return method
  })
  const [first, second] = [pair.asking.request('first', {}), pair.asking.request('second', {})]
  await vi.waitFor(() => expect(gates.size).toBe(2))

  gates.get('second')?.()
  expect(await second).toBe('second')
  gates.get('first')?.()
  expect(await first).toBe('first')
})

test('an answer of nothing arrives as null', async () => {
  await using pair = await talk(async () => undefined)

  expect(await pair.asking.request('anything', {})).toBeNull()
})

test('a notification arrives and is not answered', async () => {
  const seen: unknown[] = []
  await using pair = await talk(async () => 'ok', { onNotification: (method, params) => seen.push([method, params]) })

  pair.asking.notify('listen', { all: true })
  await pair.asking.request('ping', {})

  expect(seen).toEqual([['listen', { all: true }]])
})

test('progress reaches the request that it belongs to, in order and before the answer', async () => {
  await using pair = await talk(async (method, _params, { progress }) => {
    for (const step of [1, 2, 3]) progress({ method, step })
    return 'done'
  })
  const seen: unknown[] = []
  const onProgress = (value: unknown): void => void seen.push(value)

  const [, answer] = await Promise.all([
    pair.asking.request('other', {}),
    pair.asking.request('work', {}, { onProgress }).then((value) => [value, seen.length]),
  ])

  expect(answer).toEqual(['done', 3])
  expect(seen).toEqual([1, 2, 3].map((step) => ({ method: 'work', step })))
})

test('an abort cancels the work at the other end, and the request fails at once', async () => {
  const started = Promise.withResolvers<AbortSignal>()
  await using pair = await talk(async (_method, _params, { signal }) => {
    started.resolve(signal)
    return new Promise(() => {})
  })
  const stop = new AbortController()
  const request = pair.asking.request('wait', {}, { signal: stop.signal })
  const signalThere = await started.promise

  stop.abort(new CapstanError('cancelled', 'enough'))

  await expect(request).rejects.toMatchObject({ code: 'cancelled', message: 'enough' })
  await vi.waitFor(() => expect(signalThere.aborted).toBe(true))
})

test('a request whose signal is already aborted is never sent', async () => {
  const methods: string[] = []
  await using pair = await talk(async (method) => methods.push(method))

  const request = pair.asking.request('never', {}, { signal: AbortSignal.abort(new CapstanError('cancelled', 'no')) })

  await expect(request).rejects.toMatchObject({ code: 'cancelled' })
  await pair.asking.request('ping', {})
  expect(methods).toEqual(['ping'])
})

test('an expected failure crosses with its code, its server and the next step', async () => {
  await using pair = await talk(async () => {
    throw new CapstanError('login_needed', 'Log in first.', { server: 'github', next: 'Run: capstan login github' })
  })

  const failure = await pair.asking.request('call', {}).catch((error: unknown) => error)

  expect(failure).toBeInstanceOf(CapstanError)
  expect(failure).toMatchObject({
    code: 'login_needed',
    message: 'Log in first.',
    server: 'github',
    next: 'Run: capstan login github',
  })
})

test('a bug at the other end stays a bug here: an error without a code', async () => {
  await using pair = await talk(async () => {
    throw new TypeError('undefined is not a function')
  })

  const failure = await pair.asking.request('call', {}).catch((error: unknown) => error)

  expect(failure).not.toBeInstanceOf(CapstanError)
  expect(failure).toMatchObject({ message: expect.stringContaining('undefined is not a function') })
})

test('when the connection ends, every request under way fails and every piece of work is told to stop', async () => {
  const started = Promise.withResolvers<AbortSignal>()
  await using pair = await talk(async (_method, _params, { signal }) => {
    started.resolve(signal)
    return new Promise(() => {})
  })
  const request = pair.asking.request('wait', {})
  const signalThere = await started.promise

  pair.sockets.near.destroy()

  await expect(request).rejects.toMatchObject({ code: 'transport_failed', message: 'lost during wait' })
  await pair.answering.closed
  expect(signalThere.reason).toMatchObject({ code: 'cancelled' })
})

test('after the end of the connection a request fails at once, and a notification is nobody’s problem', async () => {
  await using pair = await talk(async () => 'ok')
  pair.asking.close()
  await pair.asking.closed

  await expect(pair.asking.request('late', {})).rejects.toMatchObject({ message: 'lost during late' })
  expect(() => pair.asking.notify('late', {})).not.toThrow()
})

test.each([
  ['no JSON', 'hello there'],
  ['an empty line', ''],
  ['a bare number', '42'],
  ['null', 'null'],
  ['a list', '[1,2]'],
  ['an answer nobody waits for', '{"jsonrpc":"2.0","id":999,"result":1}'],
  ['an error nobody waits for', '{"jsonrpc":"2.0","id":999,"error":{"message":"x"}}'],
  ['progress of nothing', '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":9}}'],
  ['a cancellation of nothing', '{"jsonrpc":"2.0","method":"notifications/cancelled","params":null}'],
])('a line that holds %s is passed over, and the next request works', async (_what, line) => {
  await using pair = await talk(async () => 'ok')

  pair.sockets.near.write(`${line}\n`)

  expect(await pair.asking.request('ping', {})).toBe('ok')
})

test('a message of 20 MB arrives whole in both directions', async () => {
  await using pair = await talk(async (_method, params) => params)
  const text = 'ä'.repeat(10 * 2 ** 20)

  const answer = await pair.asking.request('echo', { text })

  expect((answer as { readonly text: string }).text === text).toBe(true)
})

test('characters cut in two by the socket are put together again', async () => {
  await using pair = await talk(async (_method, params) => params)
  const answer = once(pair.sockets.near, 'data')
  const line = Buffer.from('{"jsonrpc":"2.0","id":7,"method":"echo","params":"é"}\n')
  const middle = line.indexOf(0xc3) + 1

  pair.sockets.near.write(line.subarray(0, middle))
  await new Promise((resolve) => setImmediate(resolve))
  pair.sockets.near.write(line.subarray(middle))

  expect(String(await answer)).toBe('{"jsonrpc":"2.0","id":7,"result":"é"}\n')
})
