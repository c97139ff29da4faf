import { existsSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { CapstanError } from '../errors.ts'
import { withLock } from '../files/lock.ts'
import { connectionPool, type ConnectionPool } from '../hub/servers/connection-pool.ts'
import type { SharedPool } from '../hub/hub.ts'
import { openServerHost } from '../hub/servers/server-host.ts'
import type { Sandbox } from '../sandbox/api.ts'
import { askInbox, type AskInbox } from './ask-inbox.ts'
import { answers } from './dial.ts'
import { openForCaller } from './open-for-caller.ts'
import type { Peer } from './peer.ts'
import type { Hello } from './protocol.ts'
import { listen, type Listening, type View } from './serve.ts'
import { daemonStatus } from './status.ts'

export interface DaemonOptions {
  readonly socketPath: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** It leaves after so long without a client. */
  readonly idleMs: number
  /** Ends it: a signal to the process. */
  readonly signal: AbortSignal
  /** Called when clients can come. */
  readonly onReady: () => void
  readonly log: (line: string) => void
}

const lookoutMs = 5000

/** Runs the hub kept warm until it is told to stop or nobody has come for a while. Resolves when nothing of it is left. */
export async function runDaemon(options: DaemonOptions): Promise<void> {
  const { socketPath, signal, log } = options
  await using pool = openPool(options)
  await using sandboxes = sharedSandbox()
  const inbox = askInbox()
  const ending = Promise.withResolvers<string>()
  // Clients may come as soon as the socket is there, before `listen` has told us: so they are counted here.
  let clients = 0
  let idle: NodeJS.Timeout | undefined
  let isRetiring = false
  let stopListening = () => {}
  const startedAtMs = Date.now()

  const listening: Listening = await withLock(socketPath, async () => {
    if (await answers(socketPath))
      throw new CapstanError('usage', 'A daemon is running already.', { next: 'Run: capstan status' })
    await mkdir(dirname(socketPath), { recursive: true, mode: 0o700 })
    await rm(socketPath, { force: true })
    return listen(
      socketPath,
      {
        openView: (hello, peer) => openView(hello, peer, { pool, sandbox: sandboxes.get, inbox }),
        methods: {
          'daemon/status': async () => daemonStatus(pool, { startedAtMs, clients: clients - 1 }),
          'daemon/restart': async (params) => pool.restart(typeof params === 'string' ? params : undefined),
          'daemon/asks': async () => inbox.waiting(),
          'daemon/answer': async (params) => inbox.answer(params),
          'daemon/stop': async () => void setImmediate(() => ending.resolve('it was told to stop')),
          'daemon/retire': async () => retire(),
        },
      },
      (count) => {
        clients = count
        rest()
      },
    )
  })
  await using _clients = listening
  signal.addEventListener('abort', () => ending.resolve('it got a signal'), { once: true })
  // A daemon that nobody can find any more, because its folder was removed, must not stay.
  const lookout = setInterval(
    () => isRetiring || existsSync(socketPath) || ending.resolve('its socket has gone'),
    lookoutMs,
  )
  stopListening = listening.stopListening
  if (isRetiring) stopListening()
  rest()
  options.onReady()
  log(`ready, pid ${process.pid}`)
  log(`ends, because ${await ending.promise}`)
  clearTimeout(idle)
  clearInterval(lookout)

  /** Every coming and going of a client starts the idle time anew. */
  function rest(): void {
    clearTimeout(idle)
    if (clients > 0) return
    // The socket keeps this process alive; the last clients may go after it, when the daemon ends.
    idle = setTimeout(() => ending.resolve('nobody has come for a while'), options.idleMs).unref()
  }

  /** A newer version takes over: the clients that are there finish, and no new ones come. */
  function retire(): void {
    isRetiring = true
    stopListening()
    const wait = setInterval(() => {
      // The one that asked us to retire is still there until it has our answer.
      if (clients === 0) ending.resolve('another version has taken over')
    }, 50)
    void ending.promise.then(() => clearInterval(wait))
  }
}

/** The pool owns what runs; views only borrow. */
function openPool({ env, log }: DaemonOptions): ConnectionPool & SharedPool {
  const host = openServerHost({ env })
  if (host.swept > 0) log(`ended ${host.swept} servers that a killed hub had left behind`)
  const pool = connectionPool()
  return {
    ...pool,
    host,
    async [Symbol.asyncDispose]() {
      await pool[Symbol.asyncDispose]()
      await host[Symbol.asyncDispose]()
    },
  }
}

interface Shared {
  readonly pool: SharedPool
  readonly sandbox: () => Promise<Sandbox>
  readonly inbox: AskInbox
}

/** One sandbox for all clients, made when the first snippet comes; it keeps a thread warm for the next. */
function sharedSandbox(): AsyncDisposable & { readonly get: () => Promise<Sandbox> } {
  let made: Promise<Sandbox> | undefined
  return {
    get: () => (made ??= import('../sandbox/sandbox.ts').then(({ createSandbox }) => createSandbox())),
    async [Symbol.asyncDispose]() {
      await (await made)?.[Symbol.asyncDispose]()
    },
  }
}

/** A hub for one client: its config, its environment, its decisions, over the servers that all share. */
async function openView(
  { caller, answersInputs = false }: Hello,
  peer: Peer,
  { pool, sandbox, inbox }: Shared,
): Promise<View> {
  if (caller === undefined) throw new CapstanError('usage', 'A client of the daemon must say who calls.')
  const { client } = caller
  const { hub, config } = await openForCaller(caller, {
    pool,
    client,
    sandbox,
    onAsk: inbox.takeFrom(client, (waiting) => peer.notify('waiting', waiting)),
    onInput: answersInputs ? async (question) => String(await peer.request('input', question)) : undefined,
  })
  const eager = config.servers.filter(
    ({ standing }) => standing.kind === 'usable' && standing.server.lifecycle === 'eager',
  )
  // Started without being waited for: who needs one waits then.
  if (eager.length > 0) void hub.catalogue({ servers: eager.map(({ name }) => name), kinds: ['tools'] })
  return { hub, warnings: config.warnings }
}
