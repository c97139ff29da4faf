import type { Server } from '@modelcontextprotocol/server'
import type { Catalogue, Era, Hub, ListKind, PromptResult, ResourceContents, ToolResult } from '../hub/api.ts'
import { searchTools } from '../hub/search/search-tools.ts'
import type { Audit } from './audit.ts'
import type { Caller, Mode } from './caller.ts'
import { instructionsFor } from './instructions.ts'
import type { LiveOptions } from './live-catalogue.ts'
import { followedResources, type FollowedResources } from './followed-resources.ts'
import { protocolServer, tellChanges } from './protocol-server.ts'
import { noPins, type Pins } from './pins.ts'
import { makeSeal } from './seal.ts'
import { chooseMode } from './surface.ts'
import { openView, type View } from './view.ts'
import { waitingCalls } from './waiting-calls.ts'

export interface GatewayOptions {
  /** The hub of one caller. The gateway does not close it. */
  readonly openHub: (caller: string) => Hub
  readonly audit: Audit
  readonly pins?: Pins
  readonly seen?: LiveOptions['seen']
  /** Names without their server's: for a single server. */
  readonly hasPrefix?: boolean
  readonly trustsHints?: (server: string) => boolean
  /** What a server is for, where that is known before the hub is asked. */
  readonly describe?: (server: string) => string | undefined
  /** Whether several people come, so that what servers log must not be passed on. */
  readonly isShared?: () => boolean
  /** Takes what is worth a line in the log of whoever runs the gateway. */
  readonly note: (text: string) => void
  readonly now?: () => number
}

/** Every server behind one MCP endpoint. It knows no transport: it makes protocol servers for whoever has one. */
export interface Gateway extends Disposable {
  /** What a caller has; the same for all its connections. */
  readonly viewFor: (caller: Caller) => View
  /** A client's own session: its mode is decided with the first look, and stays. */
  readonly openSession: (caller: Caller) => Session
  readonly waitingCount: () => number
  /** Looks at all servers anew, as after a change of the config. */
  readonly refresh: () => Promise<void>
  /** A caller has other rules from now on. How tools are offered stays for sessions that are open. */
  readonly takeCaller: (caller: Caller) => void
  /** A caller may not come any more: nothing is kept for it. */
  readonly endCaller: (name: string) => void
}

export interface Session {
  /** A server for one request, as the modern era has it over HTTP. */
  readonly makeServer: () => Promise<Server>
  /** A server for as long as a client stays connected: it tells of changes by itself. */
  readonly connect: (era: Era) => Promise<ConnectedServer>
  readonly onChange: (listener: (kinds: ReadonlySet<ListKind>) => void) => Disposable
  /** Follows resources for clients whose requests come one by one. */
  readonly follow: (tell: (uri: string) => void) => FollowedResources
}

export interface ConnectedServer {
  readonly server: Server
  readonly followed: FollowedResources
}

export function openGateway(options: GatewayOptions): Gateway {
  const { audit, note, now = Date.now, isShared = () => false } = options
  const views = new Map<string, View>()
  const waiting = waitingCalls<ToolResult | PromptResult | ResourceContents>(makeSeal(now), now)
  const search = searchTools()

  return {
    viewFor,
    openSession(caller) {
      const view = viewFor(caller)
      let mode: Promise<Exclude<Mode, 'auto'>> | undefined
      let introduced: { readonly catalogue: Catalogue; readonly text: string } | undefined
      const decide = async () => chooseMode(caller.mode, await view.catalogue())
      const make = async (era: Era, followed?: () => FollowedResources) => {
        const decided = await (mode ??= decide())
        const describe = (server: string) => options.describe?.(server) ?? view.describe(server)
        const catalogue = await view.catalogue()
        if (introduced?.catalogue !== catalogue)
          introduced = { catalogue, text: instructionsFor({ catalogue, mode: decided, describe }) }
        const common = { view, audit, search, waiting, note, passesLogs: () => !isShared() }
        return protocolServer({
          ...common,
          mode: decided,
          era,
          instructions: introduced.text,
          ...(followed === undefined ? {} : { followed }),
        })
      }
      return {
        onChange: view.onChange,
        follow: (tell) => followedResources({ view, tell, note }),
        makeServer: () => make('modern'),
        async connect(era) {
          let followed: FollowedResources | undefined
          const follow = () => (followed ??= followedResources({ view, tell, note }))
          const server = await make(era, follow)
          // Before its introduction a client cannot be told anything, and one that has gone need not be.
          const report = (error: unknown) => note(String(error))
          const tell = (uri: string) => void server.sendResourceUpdated({ uri }).catch(report)
          const listening = view.onChange((kinds) => void tellChanges(server, kinds).catch(report))
          server.onclose = () => {
            listening[Symbol.dispose]()
            followed?.[Symbol.dispose]()
          }
          return { server, followed: follow() }
        },
      }
    },
    waitingCount: waiting.count,
    async refresh() {
      await Promise.all([...views.values()].map((view) => view.refresh()))
    },
    takeCaller: (caller) => views.get(caller.name)?.take(caller),
    endCaller(name) {
      waiting.end(name)
      views.get(name)?.[Symbol.dispose]()
      views.delete(name)
    },
    [Symbol.dispose]() {
      waiting[Symbol.dispose]()
      for (const view of views.values()) view[Symbol.dispose]()
    },
  }

  function viewFor(caller: Caller): View {
    const known = views.get(caller.name)
    if (known !== undefined) return known
    const view = openView(options.openHub(caller.name), {
      caller,
      naming: { hasPrefix: options.hasPrefix ?? true },
      trustsHints: options.trustsHints ?? (() => false),
      pins: options.pins ?? noPins,
      seen: options.seen,
      note,
    })
    views.set(caller.name, view)
    return view
  }
}
