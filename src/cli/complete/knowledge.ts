import { join } from 'node:path'
import type { Config } from '../../config/types.ts'
import { builtinServers } from '../../daemon/builtins.ts'
import type { DialledHub } from '../../daemon/dial.ts'
import type { DaemonStatus } from '../../daemon/status.ts'
import { homeFolder, places } from '../../files/places.ts'
import type { ListKind } from '../../hub/api.ts'
import type { Lists } from '../../hub/catalogue/catalogue.ts'
import { diskCatalogue } from '../../hub/catalogue/disk-catalogue.ts'
import { listingCache } from '../../hub/catalogue/listing-cache.ts'
import { callFiles, readCalls } from '../call-records.ts'
import type { GlobalFlags, Io } from '../command.ts'
import { loadCommandConfig } from '../command-config.ts'
import { dialRunning, wantsDaemon } from '../daemon-hub.ts'
import { lookAtBuiltins } from '../look-at-builtins.ts'
import type { Given } from './find-hole.ts'
import type { Suggest } from './offer-arguments.ts'
import type { Knowledge } from './grammar.ts'

interface KnowledgeSetup {
  readonly io: Io
  readonly flags: GlobalFlags
  readonly signal: AbortSignal
}

/** What the config, the catalogue on disk and a daemon that runs already know. Starts nothing and asks nobody. */
export function knowledgeOf({ io, flags: own, signal }: KnowledgeSetup, given: Given): Knowledge {
  const flags = typedFlags(own, given, io)
  let loading: Promise<Config> | undefined
  const config = () => (loading ??= loadCommandConfig(io, flags))
  return {
    servers: async () => (await config()).servers.map(({ name, standing }) => ({ name, standing: standing.kind })),
    catalogue: async (kind) => {
      const loaded = await config()
      const isAdhoc = flags.stdio !== undefined || flags.url !== undefined
      return seenOnDisk(loaded, kind, isAdhoc ? [] : await builtinLists(loaded, kind))
    },
    suggest: async (prompt, argument, context) => {
      const own = await suggestFromLibrary(await config(), prompt, argument)
      return own ?? (await suggestWith({ io, flags, signal })(prompt, argument, context))
    },
    calls: () => readCalls(callFiles(io)),
    library: async () => {
      const { openPromptLibrary } = await import('../prompt-library.ts')
      await using library = await openPromptLibrary(io, {
        promptsDir: given.flags.get('prompts-dir')?.[0],
        trustProject: flags.trustProject,
      })
      return await library.store.list()
    },
  }
}

/** The flags of the line that is being typed, as far as they say which servers there are. */
function typedFlags(own: GlobalFlags, { flags }: Given, io: Io): GlobalFlags {
  const [stdio] = flags.get('stdio') ?? []
  const [url] = flags.get('url') ?? []
  return {
    ...own,
    config: (flags.get('config') ?? []).map((path) => path.replace(/^~(?=\/)/, homeFolder(io.env))),
    header: flags.get('header') ?? [],
    trustProject: flags.has('trust-project'),
    noDaemon: flags.has('no-daemon'),
    ...(stdio === undefined ? {} : { stdio }),
    ...(url === undefined ? {} : { url }),
  }
}

/** Each server by itself, so that one which has never been seen does not hide the others; a name is worth having at any age. */
function seenOnDisk(config: Config, kind: ListKind, builtins: readonly Lists[]) {
  const cache = listingCache(join(places(config.surroundings.env).cache, 'listings'), Date.now)
  const question = { kinds: [kind], maxAgeMs: Number.POSITIVE_INFINITY, nowMs: Date.now() }
  const seen = config.servers.flatMap(
    ({ name }) => diskCatalogue(config, cache, { ...question, servers: [name] }) ?? [],
  )
  return {
    tools: seen.flatMap(({ tools }) => tools),
    prompts: [...seen, ...builtins].flatMap(({ prompts }) => prompts),
    resources: seen.flatMap(({ resources }) => resources),
    templates: seen.flatMap(({ templates }) => templates),
    servers: seen.flatMap(({ servers }) => servers),
  }
}

/** What comes with Capstan is there without having been seen; its tools are for models. */
async function builtinLists(config: Config, kind: ListKind): Promise<readonly Lists[]> {
  if (kind !== 'prompts') return []
  const { builtins } = await lookAtBuiltins(config, { needs: (names) => names, kinds: [kind], trustProject: false })
  return builtins.flatMap(({ lists }) => lists ?? [])
}

/** A person waits with a finger on the Tab key. */
const longestWaitMs = 300

function suggestWith({ io, flags, signal: interrupted }: KnowledgeSetup): Suggest {
  return async (prompt, argument, context) => {
    if (!wantsDaemon(io, flags)) return []
    const signal = AbortSignal.any([interrupted, AbortSignal.timeout(longestWaitMs)])
    await using hub = await dialRunning({ io, flags, signal })
    if (hub === undefined || !(await runsAlready(hub, prompt.server))) return []
    return (await hub.complete(prompt, argument, { context, signal })).values
  }
}

/** The library is in files: nobody has to run for its suggestions. */
async function suggestFromLibrary(
  config: Config,
  { server, prompt }: Parameters<Suggest>[0],
  argument: Parameters<Suggest>[1],
): Promise<readonly string[] | undefined> {
  if (config.servers.some(({ name }) => name === server)) return undefined
  return await builtinServers(config, false)
    .find(({ name }) => name === server)
    ?.suggest?.(prompt, argument)
}

/** A server that does not run would be started by the question. */
async function runsAlready(hub: DialledHub, server: string): Promise<boolean> {
  const status = (await hub.ask('daemon/status')) as DaemonStatus
  return status.servers.some(({ names, state }) => state.kind === 'ready' && names.includes(server))
}
