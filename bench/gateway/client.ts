import type { Readable, Writable } from 'node:stream'
import { Agent, request, type IncomingMessage } from 'node:http'

/** The barest client that speaks the protocol: what a way costs must not hide behind what its client costs. */
export interface RawClient extends Disposable {
  /** The text of the tool's answer; rejects for any other answer. */
  readonly call: (tool: string, args: object) => Promise<string>
}

interface Answer {
  readonly id?: number
  readonly result?: { readonly isError?: boolean; readonly content?: readonly { readonly text?: string }[] }
  readonly error?: { readonly message: string }
}

type Ask = (message: object, id: number) => Promise<Answer>

const hello = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'bench', version: '0' },
}
const callTimeoutMs = 20_000

/** Streamable HTTP with a session, as all that can speak it do. */
export async function streamableClient(url: string): Promise<RawClient> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const headers = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }
  const session: Record<string, string> = {}
  const post = async (message: object): Promise<{ readonly response: IncomingMessage; readonly text: string }> => {
    const response = await send(url, { agent, headers: { ...headers, ...session } }, JSON.stringify(message))
    return { response, text: await textOf(response) }
  }
  const ask: Ask = async (message, id) => {
    const { response, text } = await post(message)
    const isStream = response.headers['content-type']?.startsWith('text/event-stream') === true
    const messages = isStream ? eventsOf(text) : [text]
    const answer = messages.map((event) => parse(event)).find((one) => one?.id === id)
    const sessionId = response.headers['mcp-session-id']
    if (typeof sessionId === 'string') session['mcp-session-id'] = sessionId
    if (answer === undefined) throw new Error(`${response.statusCode ?? 'no status'}: ${text.slice(0, 200)}`)
    return answer
  }
  const client = await connected(ask, async (message) => void (await post(message)))
  return { call: client, [Symbol.dispose]: () => agent.destroy() }
}

/** The older way over HTTP, the only one that mcp-hub has: answers come by one long stream. */
export async function sseClient(url: string): Promise<RawClient> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const stream = await send(url, { headers: { accept: 'text/event-stream' }, method: 'GET' })
  const waiting = waitingRoom()
  const address = Promise.withResolvers<string>()
  let pending = ''
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    pending += chunk
    const end = pending.lastIndexOf('\n\n')
    if (end === -1) return
    for (const event of eventsOf(pending.slice(0, end))) {
      if (event.startsWith('{')) waiting.arrived(parse(event))
      else address.resolve(new URL(event, url).href)
    }
    pending = pending.slice(end + 2)
  })
  // Before it is ready it answers with a page that ends, and never says where to send.
  stream.on('close', () => address.reject(new Error('the stream ended')))
  const messages = await address.promise
  const post = async (message: object): Promise<void> => {
    const headers = { 'content-type': 'application/json' }
    await textOf(await send(messages, { agent, headers }, JSON.stringify(message)))
  }
  const ask: Ask = async (message, id) => {
    const [answer] = await Promise.all([waiting.answer(id), post(message)])
    return answer
  }
  const leave = (): void => {
    agent.destroy()
    stream.destroy()
  }
  return { call: await connected(ask, post), [Symbol.dispose]: leave }
}

/** Lines over the pipes of a process: the way without any gateway. */
export async function stdioClient(output: Readable, input: Writable): Promise<RawClient> {
  const waiting = waitingRoom()
  let pending = ''
  output.setEncoding('utf8').on('data', (chunk: string) => {
    pending += chunk
    if (!chunk.includes('\n')) return
    const lines = pending.split('\n')
    pending = lines.pop() ?? ''
    for (const line of lines) waiting.arrived(parse(line))
  })
  const write = (message: object): void => void input.write(`${JSON.stringify(message)}\n`)
  const ask: Ask = (message, id) => {
    write(message)
    return waiting.answer(id)
  }
  const client = await connected(ask, async (message) => write(message))
  return { call: client, [Symbol.dispose]: () => input.end() }
}

async function connected(ask: Ask, tell: (message: object) => Promise<void>): Promise<RawClient['call']> {
  let lastId = 0
  const next = (method: string, params: object): Promise<Answer> => {
    const id = ++lastId
    return ask({ jsonrpc: '2.0', id, method, params }, id)
  }
  const welcome = await next('initialize', hello)
  if (welcome.result === undefined) throw new Error(welcome.error?.message ?? 'initialize was not answered')
  await tell({ jsonrpc: '2.0', method: 'notifications/initialized' })
  return async (tool, args) => {
    const { result, error } = await next('tools/call', { name: tool, arguments: args })
    const text = result?.content?.[0]?.text
    if (text === undefined || result?.isError === true) throw new Error(error?.message ?? text ?? 'no text came')
    return text
  }
}

/** Answers that come by a stream find who waits for them. */
function waitingRoom(): {
  readonly answer: (id: number) => Promise<Answer>
  readonly arrived: (answer: Answer | undefined) => void
} {
  const waiting = new Map<number, (answer: Answer) => void>()
  return {
    answer: (id) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error('no answer came in time')), callTimeoutMs)
        waiting.set(id, (answer) => {
          clearTimeout(timer)
          waiting.delete(id)
          resolve(answer)
        })
      }),
    arrived: (answer) => {
      if (answer?.id !== undefined) waiting.get(answer.id)?.(answer)
    },
  }
}

interface Sending {
  readonly agent?: Agent
  readonly headers: Readonly<Record<string, string>>
  readonly method?: string
}

function send(url: string, sending: Sending, body?: string): Promise<IncomingMessage> {
  const { method = 'POST', ...options } = sending
  return new Promise((resolve, reject) => {
    // A stream that listens may be silent between rounds for as long as it likes.
    const patience = method === 'GET' ? {} : { timeout: callTimeoutMs }
    const sent = request(url, { ...options, ...patience, method }, resolve)
    sent.on('timeout', () => sent.destroy(new Error('no answer came in time')))
    sent.on('error', (error: NodeJS.ErrnoException) => {
      // The other side may close a connection that idled between rounds at the very moment it is used again.
      const wasStale = sent.reusedSocket && error.code === 'ECONNRESET'
      if (wasStale) resolve(send(url, sending, body))
      else reject(error)
    })
    sent.end(body)
  })
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) text += String(chunk)
  return text
}

function eventsOf(text: string): readonly string[] {
  return text.split(/\r?\n/u).flatMap((line) => (line.startsWith('data:') ? [line.slice(5).trim()] : []))
}

function parse(text: string): Answer | undefined {
  return text.startsWith('{') ? (JSON.parse(text) as Answer) : undefined
}
