import { isDeepStrictEqual } from 'node:util'
import { parseEntry } from '../../config/entry.ts'
import type { ConfiguredServer, ServerConfig, Standing } from '../../config/types.ts'
import { CapstanError } from '../../errors.ts'
import type { AskOptions, ControlAction, LeftOutTool, ServerStatus } from '../api.ts'
import { closest } from '../catalogue/names.ts'
import { liveServer, type LiveServer } from './server.ts'
import { setupBuiltin, setupConfigured, type BuiltinServer, type HubContext } from './setup.ts'

/** What a server is made from. */
export type ServerSpec = ConfiguredServer | BuiltinServer

interface Member {
  /** As the config has it. */
  readonly spec: ServerSpec
  /** As it lives: enabled or disabled since, perhaps. */
  readonly effective: ServerSpec
  readonly live: LiveServer
  readonly leftOut: () => readonly LeftOutTool[]
}

/** The servers of one hub, by name. */
export interface ServerSet {
  readonly all: () => readonly LiveServer[]
  readonly named: (name: string) => LiveServer
  readonly statuses: () => Promise<readonly ServerStatus[]>
  readonly denied: (name: string) => readonly string[]
  /** The server that is asked when this one cannot be reached. */
  readonly fallbackOf: (name: string) => string | undefined
  /** The tools of a server that are not there, as far as is known. */
  readonly leftOut: (name: string) => readonly LeftOutTool[]
  /** Takes a new list: only servers whose spec changed are closed, and connect anew when next needed. */
  readonly take: (configured: readonly ConfiguredServer[]) => Promise<void>
  readonly control: (name: string, action: ControlAction, options: AskOptions) => Promise<void>
  readonly close: () => Promise<void>
}

export function serverSet(context: HubContext, builtins: readonly BuiltinServer[]): ServerSet {
  let servers: ReadonlyMap<string, Member> = new Map()
  let isClosed = false

  return {
    all: () => [...servers.values()].map(({ live }) => live),
    named: (name) => entryOf(name).live,
    statuses: () =>
      Promise.all(
        [...servers.values()].map(async ({ spec, live, leftOut }) => ({
          ...(await live.sharedStatus()),
          ...('standing' in spec ? {} : { isBuiltin: true }),
          ...(leftOut().length === 0 ? {} : { leftOut: leftOut() }),
        })),
      ),
    leftOut: (name) => servers.get(name)?.leftOut() ?? [],
    denied: (name) => usableConfig(name)?.deny ?? [],
    fallbackOf: (name) => usableConfig(name)?.fallback,
    async take(configured) {
      if (isClosed) return
      const before = servers
      const specs = specsOf(configured, builtins)
      servers = new Map(specs.map((spec) => [spec.name, successor(before.get(spec.name), spec)]))
      const goners = [...before.values()].filter(({ spec, live }) => servers.get(spec.name)?.live !== live)
      await Promise.all(goners.map(({ live }) => live.retire()))
    },
    async control(name, action, options) {
      const { spec, effective, live } = entryOf(name)
      if (action === 'restart') return live.restart()
      if (action === 'login' || action === 'logout') return live[action](options)
      const wanted = switched(spec, action)
      if (isSameSpec(effective, wanted)) return
      const next = { ...start(wanted, live.close()), spec }
      // Replaced before the first wait: whoever comes next, another change or the end of the hub, finds the new one.
      servers = new Map([...servers, [name, next]])
      await live.close()
      context.emit({ kind: 'state', server: name, state: next.live.status().state })
    },
    async close() {
      isClosed = true
      await Promise.all([...servers.values()].map(({ live }) => live.close()))
    },
  }

  function usableConfig(name: string): ServerConfig | undefined {
    const { effective } = entryOf(name)
    return 'standing' in effective && effective.standing.kind === 'usable' ? effective.standing.server : undefined
  }

  function successor(old: Member | undefined, spec: ServerSpec): Member {
    if (old === undefined) return start(spec)
    return isSameSpec(old.spec, spec) ? old : start(spec, old.live.retire())
  }

  /** A server starts after its predecessor has gone: two at once would fight over the same files and ports. */
  function start(spec: ServerSpec, predecessorGone?: Promise<void>): Member {
    const setup = 'standing' in spec ? setupConfigured(spec, context) : setupBuiltin(spec, context)
    const lease: typeof setup.lease = async (user) => {
      await predecessorGone
      return setup.lease(user)
    }
    return { spec, effective: spec, live: liveServer({ ...setup, lease }), leftOut: setup.leftOut ?? nothing }
  }

  function entryOf(name: string): Member {
    if (isClosed) throw new CapstanError('cancelled', 'The hub is closed.', { server: name })
    const known = servers.get(name)
    if (known !== undefined) return known
    throw new CapstanError('server_unknown', `No server "${name}".${closest(name, [...servers.keys()])}`, {
      server: name,
      next: servers.size === 0 ? 'Add one: capstan add NAME -- COMMAND' : 'Run: capstan list',
    })
  }
}

const nothing = (): readonly LeftOutTool[] => []

/** In the order of their names; a server of the config replaces a built-in one of the same name. */
function specsOf(configured: readonly ConfiguredServer[], builtins: readonly BuiltinServer[]): readonly ServerSpec[] {
  const names = new Set(configured.map((spec) => spec.name))
  const specs = [...configured, ...builtins.filter((builtin) => !names.has(builtin.name))]
  return specs.toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/** Whether two specs give the same server: neither the order of fields nor the entries of weaker layers matter. */
function isSameSpec(before: ServerSpec, after: ServerSpec): boolean {
  if (!('standing' in before) || !('standing' in after)) return before === after
  return isDeepStrictEqual(whatMatters(before), whatMatters(after))
}

function whatMatters({ entry, origin, standing }: ConfiguredServer): unknown {
  return { entry, origin, standing: standing.kind === 'invalid' ? standing.error.toJSON() : standing }
}

function switched(spec: ServerSpec, action: 'enable' | 'disable'): ServerSpec {
  if (!('standing' in spec)) return spec
  return { ...spec, standing: action === 'disable' ? { kind: 'disabled' } : standingWhenEnabled(spec) }
}

function standingWhenEnabled(spec: ConfiguredServer): Standing {
  if (spec.standing.kind !== 'disabled') return spec.standing
  // Nobody was asked about it while it was off, and enabling it is no approval of what it runs.
  if (spec.origin.layer === 'project') return { kind: 'untrusted', change: 'new' }
  const { server } = parseEntry({ ...spec.entry, disabled: false }, { name: spec.name, file: spec.origin.file })
  return { kind: 'usable', server }
}
