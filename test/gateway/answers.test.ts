import { once } from 'node:events'
import { createServer, request, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test, vi } from 'vitest'
import { openStream } from '../../src/gateway/http/answers.ts'

test('a stream that has ended is not written to, however long its client takes to read it', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const failures: unknown[] = []
  const http = createServer((_request, response) => {
    response.on('error', (error) => failures.push(error))
    const stream = openStream({ response, headers: {}, drained: async () => {} })
    stream.send({ jsonrpc: '2.0', method: 'much', params: { text: 'x'.repeat(30_000_000) } })
    stream.end()
  }).listen(0, '127.0.0.1')
  await once(http, 'listening')
  const asked = request({ host: '127.0.0.1', port: (http.address() as AddressInfo).port }).end()
  const [unread] = (await once(asked, 'response')) as [IncomingMessage]

  vi.advanceTimersByTime(60_000)
  await new Promise((resolve) => setImmediate(resolve))

  expect(failures).toEqual([])
  vi.useRealTimers()
  unread.destroy()
  http.closeAllConnections()
  http.close()
})
