import { parseEntry } from '../config/entry.ts'
import type { ConfiguredServer, Standing } from '../config/types.ts'
import { CapstanError } from '../errors.ts'
import type { ControlAction } from './api.ts'
import { closest } from './names.ts'
import { liveServer, type LiveServer } from './server.ts'
import { setupBuiltin, setupConfigured, type BuiltinServer, type HubContext } from './setup.ts'

/** What a server is made from. */
export type ServerSpec = ConfiguredServer | BuiltinServer

/** The servers of one hub, by name. */
export interface ServerSet {
  readonly all: () => readonly LiveServer[]
  readonly named: (name: string) => LiveServer
  readonly denied: (name: string) => readonly string[]
  /** Takes a new list: only servers whose spec changed are closed, and connect anew when next needed. */
  readonly take: (configured: readonly ConfiguredServer[]) => Promise<void>
  readonly control: (name: string, action: ControlAction) => Promise<void>
  readonly close: () => Promise<void>
}

export function serverSet(context: HubContext, builtins: readonly BuiltinServer[]): ServerSet {
  let servers: ReadonlyMap<string, { readonly spec: ServerSpec; readonly live: LiveServer }> = new Map()

  return {
    all: () => [...servers.values()].map(({ live }) => live),
    named: (name) => entryOf(name).live,
    denied: (name) => {
      const { spec } = entryOf(name)
      return 'standing' in spec && spec.standing.kind === 'usable' ? spec.standing.server.deny : []
    },
    async take(configured) {
      const before = servers
      servers = new Map(
        specsOf(configured, builtins).map((spec) => [spec.name, reuse(before.get(spec.name), spec) ?? start(spec)]),
      )
      const goners = [...before.values()].filter(({ spec, live }) => servers.get(spec.name)?.live !== live)
      await Promise.all(goners.map(({ live }) => live.close()))
    },
    async control(name, action) {
      const { spec, live } = entryOf(name)
      await live.close()
      const next = start(
        action === 'restart' || !('standing' in spec) ? spec : { ...spec, standing: standingAfter(action, spec) },
      )
      servers = new Map([...servers, [name, next]])
      if (action === 'restart') await next.live.connection()
    },
    async close() {
      await Promise.all([...servers.values()].map(({ live }) => live.close()))
    },
  }

  function start(spec: ServerSpec): { readonly spec: ServerSpec; readonly live: LiveServer } {
    return { spec, live: liveServer('start' in spec ? setupBuiltin(spec, context) : setupConfigured(spec, context)) }
  }

  function entryOf(name: string): { readonly spec: ServerSpec; readonly live: LiveServer } {
    const known = servers.get(name)
    if (known !== undefined) return known
    throw new CapstanError('server_unknown', `No server "${name}".${closest(name, [...servers.keys()])}`, {
      server: name,
      next: servers.size === 0 ? 'Add one: capstan add NAME -- COMMAND' : 'Run: capstan list',
    })
  }
}

/** In the order of their names; a server of the config replaces a built-in one of the same name. */
function specsOf(configured: readonly ConfiguredServer[], builtins: readonly BuiltinServer[]): readonly ServerSpec[] {
  const names = new Set(configured.map((spec) => spec.name))
  const specs = [...configured, ...builtins.filter((builtin) => !names.has(builtin.name))]
  return specs.toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

function reuse(before: { readonly spec: ServerSpec; readonly live: LiveServer } | undefined, spec: ServerSpec) {
  return before !== undefined && JSON.stringify(before.spec) === JSON.stringify(spec) ? before : undefined
}

function standingAfter(action: 'enable' | 'disable', spec: ConfiguredServer): Standing {
  if (action === 'disable') return { kind: 'disabled' }
  if (spec.standing.kind !== 'disabled') return spec.standing
  const { server } = parseEntry({ ...spec.entry, disabled: false }, { name: spec.name, file: spec.origin.file })
  return { kind: 'usable', server }
}
