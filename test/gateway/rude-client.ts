import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import type { Sent } from '../attacks/gateway-wire.ts'

/** Sends a request over a connection of its own and gives the answer to be read, or not. */
export async function ask(url: URL, { headers, body }: Sent): Promise<IncomingMessage> {
  const request = httpRequest(url, {
    method: 'POST',
    agent: false,
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
  })
  request.end(body)
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  return response
}

/** Reads what has been kept for it by the system meanwhile; says whether that was the whole answer. */
export async function isWhole(response: IncomingMessage): Promise<boolean> {
  response.resume()
  return once(response, 'end').then(
    () => true,
    () => false,
  )
}
