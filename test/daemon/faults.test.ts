import { getEventListeners, once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { peerOver } from '../../src/daemon/peer.ts'
import { protocolVersion } from '../../src/daemon/protocol.ts'
import { serveHub } from '../../src/daemon/serve.ts'
import { CapstanError } from '../../src/errors.ts'
import { inlineServer } from '../hub/inline-server.ts'
import { openTestHub } from '../hub/makers.ts'
import { scratchFolder } from '../hub/scratch-folder.ts'
import { socketPair } from './socket-pair.ts'

const options = {
  onRequest: async () => 'answer',
  onLost: () => new CapstanError('transport_failed', 'lost'),
}

test('what is no JSON is refused and leaves nothing waiting', async () => {
  await using pair = await socketPair()
  const near = peerOver(pair.near, options)
  peerOver(pair.far, options)
  const { signal } = new AbortController()

  await expect(near.request('call', { big: 1n }, { signal })).rejects.toThrow(TypeError)

  expect(getEventListeners(signal, 'abort')).toEqual([])
  await expect(near.request('call', {})).resolves.toBe('answer')
})

test('closing does not wait for another end that hangs', async () => {
  await using pair = await socketPair()
  const near = peerOver(pair.near, options)
  pair.far.pause()
  const waiting = near.request('call', {}).catch((error: unknown) => error)

  near.close()
  await near.closed

  expect(await waiting).toMatchObject({ code: 'transport_failed' })
})

test('a client that listens and does not read has no flood of logs kept for it', async () => {
  const entry = inlineServer(`
    const run = () => {
      for (let i = 0; i < 8000; i++) process.stderr.write('x'.repeat(4000) + '\\n')
      process.stderr.write('the last line\\n')
      return 'flooded'
    }
    serveRaw({ name: 'floods', tools: [{ name: 'flood', inputSchema: object, run }] })
  `)
  await using hub = await openTestHub({ one: entry })
  const path = join(await scratchFolder(), 'hub.sock')
  await using _served = await serveHub(hub, path)
  const client = connect(path)
  client.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'hello', params: { protocol: protocolVersion } })}\n`)
  await once(client, 'readable')
  client.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'listen', params: {} })}\n`)
  const flooded = new Promise<void>((resolve) => {
    hub.on((event) => event.kind === 'log' && event.line.text === 'the last line' && resolve())
  })

  await hub.call({ server: 'one', tool: 'flood' }, {})
  await flooded
  await hub.control('one', 'disable')
  let received = ''
  for await (const chunk of client) {
    received += String(chunk)
    if (received.includes('"disabled"')) break
  }

  expect(received.length).toBeLessThan(10 * 2 ** 20)
})
