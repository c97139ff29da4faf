import type { Transport } from '@modelcontextprotocol/client'
import type { RemoteServer, ServerConfig, StdioServer } from '../../config/types.ts'
import { CapstanError, messageOf } from '../../errors.ts'
import type { ListKind, LogLine } from '../api.ts'
import type { Connection, TransportKind } from './connection.ts'
import { logsIn } from '../auth/logs-in.ts'
import { defaultEnvironment } from './environment.ts'
import type { Eras } from './eras.ts'
import { remoteFailure, saysOldTransport } from './http-failure.ts'
import type { Leftovers } from './leftovers.ts'
import { resolveWrapper, type Launch } from './resolve-wrapper.ts'
import { startProcess, type GracePeriods, type ServerProcess } from './server-process.ts'
import { stdioTransport } from './stdio-transport.ts'
import type { Tap } from './tap-transport.ts'
import type { RemoteWatch } from './watch-remote.ts'

/** What belongs to the process that runs the servers, whoever they are for. */
export interface ServerHost {
  readonly eras: Eras
  readonly leftovers: Leftovers
  readonly grace: GracePeriods
  readonly maxLineBytes: number
  readonly onProcess: (child: ServerProcess) => void
  /** How remote connections are watched, where not as usual. */
  readonly remoteWatch?: RemoteWatch | undefined
}

/** What a connection needs from the hub around it. */
export interface ConnectOptions extends ServerHost {
  readonly name: string
  /** The environment of the person who asked, of which the child gets the short default list. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** The start deadline. */
  readonly signal: AbortSignal
  readonly onLog: (source: LogLine['source'], text: string) => void
  readonly onListChanged: (kind: ListKind) => void
  /** The last lines of stderr, for the message of a failure. */
  readonly stderrTail: () => readonly string[]
  readonly tap?: Tap | undefined
  /** The folders the server may know; absent when it may know none. */
  readonly roots?: readonly string[] | undefined
  readonly sampling?: boolean | undefined
}

/** Connects to one server; throws a CapstanError that says why it could not. */
export async function connect(server: ServerConfig, options: ConnectOptions): Promise<Connection> {
  const connection = await (server.transport === 'stdio'
    ? connectStdio(server, options)
    : connectRemote(server, options))
  const isKnown = options.eras.isLegacy(server)
  const isLegacy = connection.era === 'legacy'
  if (isKnown !== isLegacy) await keepVerdict(options, server, isLegacy ? 'legacy' : 'unknown')
  return connection
}

async function keepVerdict(options: ConnectOptions, server: ServerConfig, era: 'legacy' | 'unknown'): Promise<void> {
  try {
    await options.eras.remember(server, era)
  } catch (error) {
    options.onLog('hub', `The era of the server could not be remembered: ${String(error)}`)
  }
}

type Mode = 'auto' | 'legacy'

/**
 * A remembered legacy server is not probed, unless that fails. Any other is probed; one that dies of the probe (there are SDKs
 * that end on any request before `initialize`) is started once more without it.
 */
async function connectStdio(server: StdioServer, options: ConnectOptions): Promise<Connection> {
  const modes: readonly [Mode, Mode] = options.eras.isLegacy(server) ? ['legacy', 'auto'] : ['auto', 'legacy']
  try {
    return await startAndConnect(server, modes[0], options)
  } catch (error) {
    const isWorthAnother = error instanceof CapstanError && error.code === 'transport_failed' && !options.signal.aborted
    if (!isWorthAnother) throw error
    options.onLog('hub', `Connecting in mode "${modes[0]}" failed; trying "${modes[1]}".`)
  }
  try {
    return await startAndConnect(server, modes[1], options)
  } catch (error) {
    throw error instanceof CapstanError && error.code === 'transport_failed' ? endedAtStart(error, options) : error
  }
}

async function startAndConnect(server: StdioServer, mode: Mode, options: ConnectOptions): Promise<Connection> {
  const { name, grace, maxLineBytes, onLog } = options
  const child = await startChild(server, options)
  let failure: CapstanError | undefined
  const transport = stdioTransport(child, {
    server: name,
    maxLineBytes,
    grace,
    onNoise: (line) => onLog('stdout', line),
    onFailure: (error) => {
      failure = error
      onLog('hub', error.message)
    },
  })
  try {
    await child.started
    return await handshake({ transport, kind: 'stdio', mode, options, failure: () => failure })
  } catch (error) {
    child.kill()
    await child.exited
    throw failure ?? stdioFailure(error, options)
  }
}

/** The program behind a wrapper such as npx is started itself; if it cannot be, the wrapper is. */
async function startChild(server: StdioServer, options: ConnectOptions): Promise<ServerProcess> {
  const cwd = server.cwd ?? process.cwd()
  const written = { ...server, env: { ...defaultEnvironment(options.env), ...server.env } }
  const found = await resolveWrapper(server.command, server.args, { cwd, env: written.env })
  if (found.command === server.command) return launch(written, cwd, options)
  try {
    const child = launch(found, cwd, options)
    await child.started
    return child
  } catch (error) {
    options.onLog('hub', `"${found.command}" did not start, so "${server.command}" is used: ${messageOf(error)}`)
    return launch(written, cwd, options)
  }
}

function launch({ command, args, env }: Launch, cwd: string, options: ConnectOptions): ServerProcess {
  const child = startProcess({
    server: options.name,
    command,
    args,
    env,
    cwd,
    onStderr: (line) => options.onLog('stderr', line),
    onStart: (pid) => noteProcess(pid, options),
  })
  options.onProcess(child)
  return child
}

/** Not being able to note a process costs a sweep after a kill -9, which is no reason to go without the server. */
function noteProcess(pid: number, { leftovers, onLog }: ConnectOptions): void {
  try {
    leftovers.note(pid)
  } catch (error) {
    onLog('hub', `Process ${pid} could not be noted for a later sweep: ${messageOf(error)}`)
  }
}

interface Handshake {
  readonly transport: Transport
  readonly kind: TransportKind
  readonly mode: Mode
  readonly options: Pick<
    ConnectOptions,
    'name' | 'signal' | 'onListChanged' | 'onLog' | 'tap' | 'roots' | 'sampling' | 'remoteWatch'
  >
  readonly failure?: () => CapstanError | undefined
}

/** Speaks the first words over a transport. The SDK is loaded here: by now a server process is already booting beside it. */
export async function handshake({ transport, kind, mode, options, failure }: Handshake): Promise<Connection> {
  const { name, signal, onListChanged, onLog, tap, roots, sampling = false, remoteWatch } = options
  const { openClient } = await import('./client.ts')
  signal.throwIfAborted()
  const opening = openClient({
    server: name,
    transport,
    transportKind: kind,
    mode,
    signal,
    onListChanged,
    onLog,
    tap,
    rights: { sampling, roots },
    remoteWatch,
    failure,
  })
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  return Promise.race([opening, late])
}

function stdioFailure(error: unknown, { name, signal, stderrTail }: ConnectOptions): CapstanError {
  if (error instanceof CapstanError) return error
  const tail = tailText(stderrTail())
  if (signal.aborted) {
    return new CapstanError('connect_timed_out', `Server "${name}" did not answer in time after its start.${tail}`, {
      server: name,
      cause: error,
      next: `Raise its "startTimeout" (seconds), or run: capstan doctor ${name}`,
    })
  }
  return new CapstanError(
    'transport_failed',
    `Server "${name}" did not complete the handshake: ${String(error)}${tail}`,
    {
      server: name,
      cause: error,
      next: `Run: capstan doctor ${name}`,
    },
  )
}

function endedAtStart(error: CapstanError, { name, stderrTail }: ConnectOptions): CapstanError {
  return new CapstanError(
    'start_failed',
    `Server "${name}" ended or broke off before it was ready.${tailText(stderrTail())}`,
    {
      server: name,
      cause: error,
      next: `Run its command by hand to see why, or: capstan doctor ${name}`,
    },
  )
}

function tailText(lines: readonly string[]): string {
  // It may have been started twice, with and without the probe, and have said the same both times.
  const words = [...new Set(lines)].slice(-3).join(' | ')
  return words === '' ? '' : ` Its last words: ${words.replace(/\.?$/, '.')}`
}

/** Streamable HTTP in either era; the old two-endpoint transport when the entry says so or when the first is refused as unknown. */
async function connectRemote(server: RemoteServer, options: ConnectOptions): Promise<Connection> {
  if (server.type === 'sse') return remoteAttempt(server, { kind: 'sse', mode: 'legacy' }, options)
  try {
    return await connectHttp(server, options)
  } catch (error) {
    if (server.type === 'http' || options.signal.aborted || !saysOldTransport(error)) throw error
    try {
      return await remoteAttempt(server, { kind: 'sse', mode: 'legacy' }, options)
    } catch {
      // The first refusal tells more: most wrong URLs are no SSE servers either.
      throw error
    }
  }
}

/** A remembered legacy server is not probed, unless it refuses: it may have been replaced by a modern one. */
async function connectHttp(server: RemoteServer, options: ConnectOptions): Promise<Connection> {
  if (!options.eras.isLegacy(server)) return remoteAttempt(server, { kind: 'http', mode: 'auto' }, options)
  try {
    return await remoteAttempt(server, { kind: 'http', mode: 'legacy' }, options)
  } catch (error) {
    if (options.signal.aborted || !saysOldTransport(error)) throw error
    return remoteAttempt(server, { kind: 'http', mode: 'auto' }, options)
  }
}

async function remoteAttempt(
  server: RemoteServer,
  { kind, mode }: { readonly kind: 'http' | 'sse'; readonly mode: Mode },
  options: ConnectOptions,
): Promise<Connection> {
  const transport = await remoteTransport(server, kind, options)
  try {
    return await handshake({ transport, kind, mode, options })
  } catch (error) {
    await transport.close()
    const isLate = options.signal.aborted
    throw remoteFailure(error, { server: options.name, url: server.url, isLate, canLogIn: logsIn(server) })
  }
}

async function remoteTransport(
  server: RemoteServer,
  kind: 'http' | 'sse',
  options: ConnectOptions,
): Promise<Transport> {
  refuseOddUrl(server.url, options.name)
  const { openRemote } = await import('./client.ts')
  return openRemote(kind, server, options)
}

function refuseOddUrl(text: string, server: string): void {
  const url = URL.parse(text)
  if (url !== null && ['http:', 'https:'].includes(url.protocol)) return
  throw new CapstanError(
    'config_invalid',
    `Server "${server}" has the url "${text}", which is not an http(s) address.`,
    {
      server,
      next: 'Correct "url" in its entry.',
    },
  )
}
