import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pinKeys, pinsFile } from '../config/tool-pins.ts'
import { trustFile } from '../config/trust.ts'
import type { Config, GatewaySettings, ServerConfig } from '../config/types.ts'
import { watchConfig } from '../config/watch.ts'
import { CapstanError } from '../errors.ts'
import { places } from '../files/places.ts'
import { openAudit } from '../gateway/audit.ts'
import { openGateway, type Gateway } from '../gateway/gateway.ts'
import { readAddress } from '../gateway/http/address.ts'
import { makeIdentify } from '../gateway/http/keys.ts'
import { defaultLimits, type HttpLimits } from '../gateway/http/limits.ts'
import { listenHttp, type HttpDoor } from '../gateway/http/listen.ts'
import { monitorPages } from '../gateway/http/pages.ts'
import { makeMetrics, type Metrics } from '../gateway/metrics.ts'
import { noPins, openPins } from '../gateway/pins.ts'
import { serveConnection } from '../gateway/serve-connection.ts'
import { stdioTransport } from '../prompts/server/stdio-transport.ts'
import { loadCommandConfig } from './command-config.ts'
import type { CommandContext } from './command.ts'
import { readCallers, type Callers } from './gateway-callers.ts'
import { openGatewayHubs } from './gateway-hubs.ts'
import { plainText } from '../policy/plain-text.ts'
import { seenOnDisk } from './seen-on-disk.ts'
import type { ServeWishes } from './serve-wishes.ts'

/** Serves all servers as one until the client hangs up, or the signal comes. */
export async function serveGateway(context: CommandContext, wishes: ServeWishes): Promise<void> {
  const { io } = context
  const config = await context.loadConfig()
  const settings = config.settings.gateway ?? {}
  const note = (text: string) => io.err(plainText(`${new Date().toISOString()} ${text}\n`))
  for (const warning of config.warnings) note(`warning: ${warning}`)
  const callers = await readCallers(wishes, settings, io)
  const metrics = makeMetrics()
  const audit = openAudit({
    file: `${places(io.env).state}/gateway.jsonl`,
    withArguments: wishes.auditArguments || settings.auditArguments === true,
    onRecord: metrics.count,
    onFailure: (error) => note(`The audit could not be written: ${String(error)}`),
  })
  let current = config
  using pins =
    settings.pins === 'off'
      ? noPins
      : await openPins({
          file: pinsFile(io.env),
          mode: settings.pins ?? 'warn',
          keyOf: (server) => pinKeys(current)(server),
          note,
        })
  await using hubs = openGatewayHubs(context, { isOwn: wishes.isOwn, note, onReopened: () => void refresh() })
  using gateway = openGateway({
    openHub: hubs.hubOf,
    audit,
    pins,
    seen: seenOnDisk(config),
    hasPrefix: wishes.hasPrefix && settings.prefix !== false,
    trustsHints: (server) => serverIn(current, server)?.trustHints === true,
    describe: (server) => serverIn(current, server)?.description,
    isShared: callers.keys.length > 1,
    note,
  })
  const refresh = () => gateway.refresh().catch((error: unknown) => note(String(error)))
  using _watching = followConfig(context, config, {
    note,
    take: async (next) => {
      current = next
      await hubs.reload(next)
      await refresh()
    },
  })
  if (wishes.http === undefined) await overStdio(gateway, context, { callers, note })
  else await overHttp(gateway, context, { wishes, http: wishes.http, settings, callers, metrics, note })
  await audit.settled()
}

interface Following {
  readonly note: (text: string) => void
  readonly take: (config: Config) => Promise<void>
}

/** What is approved, added or taken out while we serve reaches the clients without a restart. */
function followConfig({ io, flags }: CommandContext, initial: Config, { note, take }: Following): Disposable {
  const isAdhoc = flags.stdio !== undefined || flags.url !== undefined
  if (isAdhoc) return { [Symbol.dispose]() {} }
  const { workspaceFolder } = initial.surroundings
  const usual = [join(places(io.env).config, 'mcp.json'), join(workspaceFolder, '.mcp.json')]
  return watchConfig({
    initial,
    load: () => loadCommandConfig(io, flags),
    files: [...(flags.config.length === 0 ? usual : []), trustFile(io.env)],
    onConfig: (next, { added, removed, changed }) => {
      note(`The config has changed: ${[...added, ...removed, ...changed].join(', ')}.`)
      void take(next).catch((error: unknown) => note(`The new config was not taken: ${String(error)}`))
    },
    onError: (error) => note(`The config cannot be read, so the last one stays: ${String(error)}`),
  })
}

function serverIn({ servers }: Config, name: string): ServerConfig | undefined {
  const standing = servers.find((server) => server.name === name)?.standing
  return standing?.kind === 'usable' ? standing.server : undefined
}

interface Serving {
  readonly callers: Callers
  readonly note: (text: string) => void
}

async function overStdio(gateway: Gateway, { io, signal }: CommandContext, { callers, note }: Serving): Promise<void> {
  if (io.stdinIsTerminal) {
    throw new CapstanError('usage', 'serve speaks MCP with a program, and this is a terminal.', {
      next: 'Let a client start it, or listen for clients: capstan serve --http 7332',
    })
  }
  const stdin = (io.stdin ?? process.stdin) as Readable
  const transport = stdioTransport({ stdin, write: io.out })
  await serveConnection(gateway, { transport, caller: callers.anybody, signal, note })
}

const drainMs = 10_000

interface ServingHttp extends Serving {
  readonly http: string
  readonly wishes: ServeWishes
  readonly settings: GatewaySettings
  readonly metrics: Metrics
}

async function overHttp(
  gateway: Gateway,
  { io, signal }: CommandContext,
  { wishes, http, settings, callers, metrics, note }: ServingHttp,
): Promise<void> {
  let opened: HttpDoor | undefined
  const counts = () => ({
    ...(opened?.counts() ?? { requests: 0, sessions: 0 }),
    waitingCalls: gateway.waitingCount(),
  })
  await using door = await listenHttp(gateway, {
    address: readAddress(http),
    identify: makeIdentify(callers.keys, callers.anybody),
    hasKeys: callers.keys.length > 0,
    hosts: [...wishes.hosts, ...(settings.hosts ?? [])],
    origins: [...wishes.origins, ...(settings.origins ?? [])],
    limits: limitsOf(settings, callers),
    page: monitorPages({ view: () => gateway.viewFor(callers.anybody), metrics, counts }),
    note,
  })
  opened = door
  await io.out(`${door.url}/mcp\n`)
  await aborted(signal)
  note('The gateway ends: no new requests are taken.')
  await door.drain(drainMs)
}

/** All clients of one's own machine are one caller. */
const localRequestsPerMinute = 60_000

function limitsOf({ requestsPerMinute, bodyBytes }: GatewaySettings, { keys }: Callers): HttpLimits {
  return {
    ...defaultLimits,
    ...(keys.length === 0 ? { requestsPerMinute: localRequestsPerMinute } : {}),
    ...(requestsPerMinute === undefined ? {} : { requestsPerMinute }),
    ...(bodyBytes === undefined ? {} : { bodyBytes }),
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
