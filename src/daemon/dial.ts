import { connect, type Socket } from 'node:net'
import { CapstanError, stopped } from '../errors.ts'
import type { InputQuestion } from '../config/inputs.ts'
import type { Answer, ExecEvent, Hub, HubEvent, JsonObject, Progress } from '../hub/api.ts'
import type { Answerer } from '../hub/asks/route-asks.ts'
import { isObject } from '../json.ts'
import { assertShallow } from '../policy/shallow-arguments.ts'
import { version } from '../version.ts'
import type { WaitingAsk } from './ask-inbox.ts'
import { callBack, peerOver, type IncomingRequest, type Peer, type RequestSubject } from './peer.ts'
import { protocolVersion, type AskMessage, type Caller, type Hello, type Welcome } from './protocol.ts'

export interface DialOptions {
  /** Aborting it closes the hub. */
  readonly signal?: AbortSignal
  /** Who calls; a daemon wants to know, a hub that serves everybody alike does not. */
  readonly caller?: Caller
  /** Answers a question of the hub, such as the value of an `${input:id}`. */
  readonly onInput?: (question: InputQuestion) => Promise<string>
  /** Hears of a question in a call of its own that waits for somebody else to answer it. */
  readonly onWaiting?: (waiting: WaitingAsk) => void
}

/** A Hub behind a socket, with what is said about it. */
export interface DialledHub extends Hub {
  readonly welcome: Welcome
  /** Asks the other end for something that is not a Hub's, such as a daemon's status. */
  readonly ask: (method: string, params?: unknown) => Promise<unknown>
  /** Resolves when the other end has gone. */
  readonly closed: Promise<void>
}

/** A Hub whose servers run behind a local socket. Loads neither the SDK nor zod. */
export async function dialHub(
  socketPath: string,
  { signal, caller, onInput, onWaiting }: DialOptions = {},
): Promise<DialledHub> {
  const listeners = new Set<(event: HubEvent) => void>()
  const answerers = new Map<number, Answerer>()
  const socket = await open(socketPath, signal)
  const peer = peerOver(socket, {
    onRequest: async (method, params, request) => {
      if (method === 'input' && onInput !== undefined) return onInput(params as InputQuestion)
      if (method === 'ask') return answerAsk(answerers, params as AskMessage, request)
      if (method === 'roots') return sayRoots(answerers, params as Omit<AskMessage, 'ask'>, request)
      throw new CapstanError('usage', `This client does not answer "${method}".`)
    },
    onNotification: (method, params) => {
      if (method === 'waiting') callBack(onWaiting, params as WaitingAsk)
      if (method === 'event') listeners.forEach((listener) => callBack(listener, params as HubEvent))
    },
    onLost: (method) =>
      method === 'call' || method === 'exec'
        ? new CapstanError(
            'outcome_unknown',
            'The connection to the hub was lost during the call. Whether the tool ran is unknown; it was not repeated.',
          )
        : new CapstanError('transport_failed', 'The connection to the hub was lost.'),
  })
  let welcome: Welcome
  try {
    const hello: Hello = {
      protocol: protocolVersion,
      version,
      ...(caller === undefined ? {} : { caller }),
      answersInputs: onInput !== undefined,
    }
    welcome = (await peer.request('hello', hello, { signal })) as Welcome
  } catch (error) {
    // An open socket would keep the whole process from ending.
    socket.destroy()
    throw error
  }
  closeOnAbort(socket, signal)
  return {
    ...hubOver(peer, listeners, answerers),
    welcome,
    ask: (method, params) => peer.request(method, params ?? null),
    closed: peer.closed,
  }
}

async function answerAsk(
  answerers: ReadonlyMap<number, Answerer>,
  { answerer, ask }: AskMessage,
  { signal }: IncomingRequest,
): Promise<Answer> {
  const onAsk = answerers.get(answerer)?.onAsk
  // The request it belonged to is done.
  return onAsk === undefined ? { action: 'cancel' } : onAsk(ask, { signal })
}

async function sayRoots(
  answerers: ReadonlyMap<number, Answerer>,
  { answerer }: Omit<AskMessage, 'ask'>,
  { signal }: IncomingRequest,
): Promise<JsonObject> {
  const onRoots = answerers.get(answerer)?.onRoots
  if (onRoots === undefined) throw new CapstanError('cancelled', 'The request it belonged to is done.')
  return onRoots({ signal })
}

/** Whether somebody listens at a socket. */
export async function answers(socketPath: string): Promise<boolean> {
  try {
    const socket = await open(socketPath, undefined)
    socket.destroy()
    return true
  } catch {
    return false
  }
}

/** Each method of the Hub is one request: its arguments as they are, without the functions, which stay on this side. */
function hubOver(peer: Peer, listeners: Set<(event: HubEvent) => void>, answerers: Map<number, Answerer>): Hub {
  interface Options extends Answerer {
    readonly signal?: AbortSignal
    readonly onProgress?: (progress: Progress) => void
    readonly onEvent?: (event: ExecEvent) => void
  }
  let nextAnswerer = 1
  // The other end is a Hub of the same protocol version, so its answers have the types of the interface.
  const ask = <Result>(
    method: string,
    args: readonly unknown[],
    { signal, onAsk, onRoots, onProgress, onEvent, ...options }: Options = {},
  ): Promise<Result> => {
    const answerer = nextAnswerer++
    const answers = {
      ...(onAsk === undefined ? {} : { answerer }),
      ...(onRoots === undefined ? {} : { rootsOf: answerer }),
    }
    if (Object.keys(answers).length > 0) answerers.set(answerer, { onAsk, onRoots })
    const answer = peer.request(method, [...args, { ...options, ...answers }], {
      signal,
      about: subjectOf(method, args[0]),
      onProgress(value) {
        onProgress?.(value as Progress)
        onEvent?.(value as ExecEvent)
      },
    })
    return answer.finally(() => answerers.delete(answerer)) as Promise<Result>
  }

  return {
    servers: (options) => ask('servers', [], options),
    catalogue: (options) => ask('catalogue', [], options),
    call: async (tool, args, options) => {
      assertShallow(args)
      return ask('call', [tool, args], options)
    },
    prompt: (prompt, args, options) => ask('prompt', [prompt, args], options),
    complete: (target, argument, options) => ask('complete', [target, argument], options),
    read: (resource, options) => ask('read', [resource], options),
    subscribe: (resource, options) => ask('subscribe', [resource], options),
    unsubscribe: (resource, options) => ask('unsubscribe', [resource], options),
    search: (query, options) => ask('search', [query], options),
    exec: (code, options) => ask('exec', [code], options),
    control: (server, action, options) => ask('control', [server, action], options),
    logs: (server, options) => ask('logs', [server], options),
    on(listener) {
      if (listeners.size === 0) peer.notify('listen', {})
      // A function of its own for each, so that who listens twice can stop once.
      const own = (event: HubEvent) => listener(event)
      listeners.add(own)
      return { [Symbol.dispose]: () => void listeners.delete(own) }
    },
    async [Symbol.asyncDispose]() {
      peer.close()
      await peer.closed
    },
  }
}

/** In the words of a hub that runs the servers itself, so that the daemon makes no difference. */
function subjectOf(method: string, target: unknown): RequestSubject | undefined {
  if (method === 'exec') return { what: 'the snippet' }
  if (method === 'catalogue' || method === 'search') return { what: 'the catalogue' }
  const request = methodAtServer[method]
  if (request === undefined || !isObject(target) || typeof target['server'] !== 'string') return undefined
  const { server } = target
  return { what: `${request} at server "${server}"`, server }
}

const methodAtServer: Readonly<Record<string, string | undefined>> = {
  call: 'tools/call',
  prompt: 'prompts/get',
  read: 'resources/read',
  complete: 'completion/complete',
}

function open(socketPath: string, signal: AbortSignal | undefined): Promise<Socket> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(stopped(signal, 'the connection to the hub'))
    const socket = connect(socketPath)
    const giveUp = () => socket.destroy(signal && stopped(signal, 'the connection to the hub'))
    signal?.addEventListener('abort', giveUp, { once: true })
    socket.once('connect', () => {
      signal?.removeEventListener('abort', giveUp)
      resolve(socket)
    })
    socket.once('error', (cause) => reject(cause instanceof CapstanError ? cause : nobodyThere(socketPath, cause)))
  })
}

function nobodyThere(socketPath: string, cause: Error): CapstanError {
  return new CapstanError('connection_refused', `No hub answers at ${socketPath}.`, {
    cause,
    next: 'Start one, or run without it.',
  })
}

function closeOnAbort(socket: Socket, signal: AbortSignal | undefined): void {
  const close = () => socket.destroy()
  signal?.addEventListener('abort', close, { once: true })
  socket.once('close', () => signal?.removeEventListener('abort', close))
}
