import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pinKeys, pinsFile } from '../config/tool-pins.ts'
import { trustFile } from '../config/trust.ts'
import type { Config, ServerConfig } from '../config/types.ts'
import { watchConfig } from '../config/watch.ts'
import { builtinNames } from '../daemon/builtins.ts'
import { CapstanError } from '../errors.ts'
import { places } from '../files/places.ts'
import { openAudit } from '../gateway/audit.ts'
import { openGateway } from '../gateway/gateway.ts'
import { makeMetrics } from '../gateway/metrics.ts'
import { noPins, openPins } from '../gateway/pins.ts'
import { serveConnection } from '../gateway/serve-connection.ts'
import { closest } from '../hub/catalogue/names.ts'
import { plainText } from '../policy/plain-text.ts'
import { stdioTransport } from '../prompts/server/stdio-transport.ts'
import { loadCommandConfig } from './command-config.ts'
import type { CommandContext } from './command.ts'
import { followRules } from './follow-rules.ts'
import { openGatewayHubs } from './gateway-hubs.ts'
import { readRules } from './gateway-rules.ts'
import { openHttpEntry, type Entry, type Serving } from './http-entry.ts'
import { seenOnDisk } from './seen-on-disk.ts'
import type { ServeWishes } from './serve-wishes.ts'

/** Serves all servers as one until the client hangs up, or the signal comes. */
export async function serveGateway(context: CommandContext, wishes: ServeWishes): Promise<void> {
  const { io } = context
  const config = await context.loadConfig()
  const settings = config.settings.gateway ?? {}
  const note = (text: string) => io.err(plainText(`${new Date().toISOString()} ${text}\n`))
  for (const warning of config.warnings) note(`warning: ${warning}`)
  for (const name of wishes.servers) if (!isKnown(name, config)) note(`warning: ${noServer(name, config)}`)
  let rules = await readRules(wishes, settings, { io })
  const metrics = makeMetrics()
  const audit = openAudit({
    file: `${places(io.env).state}/gateway.jsonl`,
    withArguments: () => wishes.auditArguments || rules.settings.auditArguments === true,
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
    isShared: () => rules.callers.keys.length > 1,
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
  const serving = { gateway, context, rules, note }
  await using entry =
    wishes.http === undefined
      ? stdioEntry(serving)
      : await openHttpEntry({ ...serving, http: wishes.http, wishes, hubs, metrics })
  using _following = followRules({
    io,
    wishes,
    initial: rules,
    take: (next, before) => {
      rules = next
      return entry.take(next, before)
    },
    note,
  })
  await entry.served()
  await audit.settled()
}

/** No mistake for sure: a server may be added while we serve. */
function noServer(name: string, { servers }: Config): string {
  const names = servers.map((server) => server.name)
  return `There is no server "${name}" yet, so nothing of it is served.${closest(name, names)}`
}

function isKnown(name: string, { servers }: Config): boolean {
  return builtinNames.includes(name) || servers.some((server) => server.name === name)
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

function stdioEntry({ gateway, context: { io, signal }, rules, note }: Serving): Entry {
  if (io.stdinIsTerminal) {
    throw new CapstanError('usage', 'serve speaks MCP with a program, and this is a terminal.', {
      next: 'Let a client start it, or listen for clients: capstan serve --http 7332',
    })
  }
  const stdin = (io.stdin ?? process.stdin) as Readable
  const transport = stdioTransport({ stdin, write: io.out })
  return {
    async take(next) {
      gateway.takeCaller(next.callers.anybody)
    },
    served: () => serveConnection(gateway, { transport, caller: rules.callers.anybody, signal, note }),
    async [Symbol.asyncDispose]() {},
  }
}
