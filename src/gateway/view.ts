import { canonicalJson } from '../config/canonical-json.ts'
import { CapstanError } from '../errors.ts'
import type { Catalogue, Hub, ListKind, PromptEntry, ServerStatus, ToolEntry, WaitOptions } from '../hub/api.ts'
import { serversForResource } from '../hub/catalogue/find-resource.ts'
import { closest, serversNamedIn, silentServers, toolsNamed } from '../hub/catalogue/names.ts'
import { judgeAccess, mayUseServer, namesServer } from '../policy/access.ts'
import { plainLine } from '../policy/plain-text.ts'
import { suspicionsOf } from '../policy/suspicion.ts'
import type { Caller } from './caller.ts'
import { changedKinds, liveCatalogue, troubleOf, type LiveOptions } from './live-catalogue.ts'
import type { Pins } from './pins.ts'
import { promptName, toolName, type Naming } from './surface.ts'

export interface ViewOptions extends Pick<LiveOptions, 'seen' | 'note' | 'settleMs'> {
  readonly caller: Caller
  readonly naming: Naming
  readonly pins: Pins
  /** Whether a server's tools are believed when they call themselves read-only. */
  readonly trustsHints: (server: string) => boolean
}

/** The hub as one caller has it: what the rules leave, under the names that clients use. */
export interface View extends Disposable {
  /** With the rules of this moment. */
  readonly caller: Caller
  readonly hub: Hub
  readonly naming: Naming
  readonly pins: Pins
  readonly catalogue: (wait?: WaitOptions) => Promise<Catalogue>
  readonly describe: (server: string) => string | undefined
  /** The tool that a client means; an error that says what is the matter when there is none. */
  readonly tool: (name: string, wait?: WaitOptions) => Promise<ToolEntry>
  readonly prompt: (name: string, wait?: WaitOptions) => Promise<PromptEntry>
  /** The server that can answer for a URI. */
  readonly serverOf: (uri: string, wait?: WaitOptions) => Promise<string>
  readonly isReadOnly: (tool: ToolEntry) => boolean
  /** What is odd about a tool's definition; whoever runs the gateway has been told. */
  readonly oddities: (tool: ToolEntry) => readonly string[]
  readonly onChange: (listener: (kinds: ReadonlySet<ListKind>) => void) => Disposable
  readonly refresh: () => Promise<void>
  /** The same caller with other rules, for what is asked from now on. */
  readonly take: (caller: Caller) => void
}

export function openView(hub: Hub, { naming, trustsHints, pins, ...options }: ViewOptions): View {
  let { caller } = options
  const isOffered = ({ name, isBuiltin = false }: ServerStatus) =>
    mayUseServer(caller.rules, name) && (!isBuiltin || namesServer(caller.rules, name))
  const live = liveCatalogue(hub, { ...options, isWanted: isOffered })
  const noted = new Set<string>()
  const odd = new WeakMap<ToolEntry, readonly string[]>()
  let last: { readonly whole: Catalogue; readonly own: Catalogue } | undefined

  return {
    get caller() {
      return caller
    },
    hub,
    naming,
    pins,
    catalogue,
    describe: live.describe,
    async tool(name, wait) {
      const known = toolIn(await catalogue(wait), name)
      if (known !== undefined) return known
      const own = await lookedAgain(name, wait)
      const found = toolIn(own, name)
      if (found !== undefined) return found
      // One that is held back is not in the list: it says why itself.
      const held = last?.own.tools.find((tool) => toolName(tool, naming) === name || tool.id === name)
      if (held !== undefined) pins.use(held)
      throw notThere(own, { kind: 'tool', name, ids: own.tools.map((tool) => toolName(tool, naming)) })
    },
    async prompt(name, wait) {
      const isMeant = (prompt: PromptEntry) => promptName(prompt, naming) === name || prompt.id === name
      const known = (await catalogue(wait)).prompts.find(isMeant)
      if (known !== undefined) return known
      const own = await lookedAgain(name, wait)
      const found = own.prompts.find(isMeant)
      if (found !== undefined) return found
      throw notThere(own, { kind: 'prompt', name, ids: own.prompts.map((prompt) => promptName(prompt, naming)) })
    },
    async serverOf(uri, wait) {
      const own = await catalogue(wait)
      const [server] = serversForResource(own, uri)
      if (server !== undefined) return server
      throw new CapstanError('resource_unknown', `There is no resource "${uri.slice(0, 200)}".${silentServers(own)}`)
    },
    isReadOnly: (tool) => tool.annotations?.readOnlyHint === true && trustsHints(tool.server),
    oddities: (tool) => odd.get(tool) ?? [],
    onChange: live.onChange,
    refresh: live.refresh,
    take,
    [Symbol.dispose]: () => live[Symbol.dispose](),
  }

  async function catalogue(wait?: WaitOptions): Promise<Catalogue> {
    const whole = await live.now(wait)
    if (last?.whole !== whole) {
      last = { whole, own: narrowed(whole) }
      lookAt(last.own)
    }
    const { tools } = last.own
    // Not kept: a person may approve one meanwhile.
    const free = tools.filter((tool) => !pins.isHeld(tool))
    return free.length === tools.length ? last.own : { ...last.own, tools: free }
  }

  function take(next: Caller): void {
    const isSame = canonicalJson(next.rules) === canonicalJson(caller.rules)
    caller = next
    if (isSame) return
    const before = last?.own
    last = undefined
    if (before !== undefined) live.announce(changedKinds(before, narrowed(live.atHand())))
    // Servers may be wanted now that were not before.
    void live.refresh().catch((error: unknown) => options.note(String(error)))
  }

  function toolIn(own: Catalogue, name: string): ToolEntry | undefined {
    const exact = own.tools.find((tool) => toolName(tool, naming) === name)
    // Not by a bare name: a server could name its tool after one of ours, or of a server that this caller may not use.
    const found = exact === undefined ? toolsNamed(own, name).filter(({ tool }) => tool !== name) : [exact]
    return found.length === 1 ? found[0] : undefined
  }

  /** A server that is in trouble and has no list may have been mended: whoever wants something of it gives it another try. */
  async function lookedAgain(name: string, wait?: WaitOptions): Promise<Catalogue> {
    const own = await catalogue(wait)
    const server = serverNamedIn(own, name)
    if (server === undefined || troubleOf(own, server) === undefined) return own
    await live.look(server, wait)
    return catalogue(wait)
  }

  function lookAt({ tools, servers }: Catalogue): void {
    const names = servers.map(({ server }) => server)
    for (const tool of tools) {
      const found = suspicionsOf(tool, names)
      if (found.length > 0) odd.set(tool, found)
      for (const oddity of found)
        noteOnce(`The tool ${plainLine(tool.id)} ${oddity}. Look at it: capstan inspect ${plainLine(tool.id)}`)
    }
  }

  function noteOnce(text: string): void {
    if (!noted.has(text)) options.note(text)
    noted.add(text)
  }

  function narrowed(whole: Catalogue): Catalogue {
    const own = <Entry extends { readonly server: string }>(entries: readonly Entry[]) =>
      entries.filter(({ server }) => mayUseServer(caller.rules, server))
    const { prompts, resources, templates, servers } = whole
    return {
      tools: whole.tools.filter((tool) => judgeAccess(caller.rules, tool) !== 'denied'),
      prompts: own(prompts),
      resources: own(resources),
      templates: own(templates),
      servers: own(servers),
    }
  }
}

interface Missing {
  readonly kind: 'tool' | 'prompt'
  readonly name: string
  readonly ids: readonly string[]
}

/** A server that cannot be used just now is something else than a wrong name. */
function notThere(catalogue: Catalogue, { kind, name, ids }: Missing): CapstanError {
  const server = serverNamedIn(catalogue, name)
  const trouble = server === undefined ? undefined : troubleOf(catalogue, server)
  if (trouble !== undefined) return trouble
  const code = kind === 'tool' ? 'tool_unknown' : 'prompt_unknown'
  return new CapstanError(code, `There is no ${kind} "${name.slice(0, 200)}".${closest(name, ids)}`)
}

function serverNamedIn({ servers }: Catalogue, name: string): string | undefined {
  const [server] = serversNamedIn(
    name,
    servers.map((coverage) => coverage.server),
  )
  return server
}
