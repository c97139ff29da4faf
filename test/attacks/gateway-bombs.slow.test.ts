import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { fixture } from '../fixtures/fixture.ts'
import { connectHttp, openHttpBench } from '../gateway/doors.ts'
import { inlineServer } from '../hub/inline-server.ts'
import { textOf, type Servers } from '../hub/makers.ts'

/** Answers a call with whatever it likes. */
type Bomb = (response: ServerResponse) => void

describe('a remote server that sends', () => {
  const zeros = gzipSync(Buffer.alloc(400_000_000, ' '))
  const endless =
    (piece: Buffer): Bomb =>
    (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const more = (): void => void (response.destroyed || response.write(piece, () => setImmediate(more)))
      more()
    }

  test.each<readonly [string, Bomb]>([
    [
      'little that unpacks to much',
      (response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
        response.end(zeros)
      },
    ],
    ['a line without end', endless(Buffer.alloc(1_000_000, 'data: x'))],
    ['an event without end', endless(Buffer.from(`data: ${'x'.repeat(100)}\n`.repeat(10_000)))],
  ])('%s is cut off with bounded memory, while others are served', async (_what, bomb) => {
    await using bad = await listening(bomb)

    const { outcome, grownMiB } = await blownUp({ bad: { url: bad.url } })

    expect(outcome).toMatch(/"bad"/)
    expect(grownMiB).toBeLessThan(900)
  })
})

test('a local server whose answer has no end is cut off with bounded memory, while others are served', async () => {
  const bad = inlineServer(`
    const piece = 'x'.repeat(1_000_000)
    const run = (_args, { id }) => {
      process.stdout.write('{"jsonrpc":"2.0","id":' + id + ',"result":{"content":[{"type":"text","text":"')
      const more = () => process.stdout.write(piece, more)
      more()
      return new Promise(() => {})
    }
    serveRaw({ name: 'bad', tools: [{ name: 'go', inputSchema: object, run }] })
  `)

  const { outcome, grownMiB } = await blownUp({ bad })

  expect(outcome).toMatch(/"bad" sent a message larger than 128 MiB/)
  expect(grownMiB).toBeLessThan(900)
})

/** Calls `bad.go` through the gateway, and another server meanwhile. */
async function blownUp(servers: Servers): Promise<{ readonly outcome: string; readonly grownMiB: number }> {
  await using bench = await openHttpBench({ one: fixture('echo'), ...servers })
  await using entered = await connectHttp(bench.url, 'modern')
  await entered.client.listTools()
  const before = process.memoryUsage().rss
  let peak = before
  const watching = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 10)

  const going = entered.client.callTool({ name: 'bad__go', arguments: {} }, { timeout: 60_000 }).then(textOf, String)
  const other = await entered.client.callTool({ name: 'one__echo', arguments: { message: 'meanwhile' } })
  const outcome = await going
  clearInterval(watching)

  expect(textOf(other)).toBe('meanwhile')
  return { outcome, grownMiB: (peak - before) / 2 ** 20 }
}

/** A server up to 2025-11-25 without sessions: in order until its tool is called. */
async function listening(bomb: Bomb): Promise<AsyncDisposable & { readonly url: string }> {
  const serve: RequestListener = (request, response) => void answer(request, response)
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    if (request.method !== 'POST') return void response.writeHead(405).end()
    const { id, method } = (await json(request)) as { readonly id?: number; readonly method: string }
    if (method === 'tools/call') return bomb(response)
    const result = answers[method]
    const outcome = result === undefined ? { error: { code: -32601, message: 'Method not found' } } : { result }
    response.writeHead(id === undefined ? 202 : 200, { 'content-type': 'application/json' })
    response.end(id === undefined ? '' : JSON.stringify({ jsonrpc: '2.0', id, ...outcome }))
  }
  const server = createServer(serve).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/mcp`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const answers: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'bad', version: '1' },
  },
  'tools/list': { tools: [{ name: 'go', inputSchema: { type: 'object' } }] },
}
