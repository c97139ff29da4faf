import { CapstanError, stopped } from '../../errors.ts'
import type { Catalogue, CatalogueOptions, Coverage, ListKind } from '../api.ts'
import { buildCatalogue, noLists, type Lists } from './catalogue.ts'
import type { ServerSet } from '../servers/server-set.ts'
import { listsOf } from '../servers/server-lists.ts'
import type { LiveServer } from '../servers/server.ts'

const allKinds: readonly ListKind[] = ['tools', 'prompts', 'resources', 'templates']

/** Asks all servers at once and comes back at the deadline with what is there, naming what is missing. */
export async function collectCatalogue(
  servers: ServerSet,
  { servers: names, kinds = allKinds, fresh, signal, deadlineMs }: CatalogueOptions & { readonly deadlineMs: number },
): Promise<Catalogue> {
  const wanted =
    (names && [...new Set(names)].map(servers.named)) ??
    servers.all().filter((server) => server.status().state.kind !== 'disabled')
  const timeout = AbortSignal.timeout(deadlineMs)
  const deadline = signal === undefined ? timeout : AbortSignal.any([signal, timeout])
  const answers = await Promise.all(
    wanted.map(async (server) => {
      const startingMs = await startingFor(server)
      const isLate = startingMs >= deadlineMs
      return listsOrReason(server, {
        kinds,
        fresh: fresh ?? 'if-stale',
        signal: isLate ? AbortSignal.any([deadline, AbortSignal.timeout(momentMs)]) : deadline,
        waitedMs: isLate ? startingMs : deadlineMs,
      })
    }),
  )
  // The deadline yields what is there; the caller's own signal gives up.
  if (signal?.aborted) throw stopped(signal, 'the catalogue')
  return buildCatalogue(answers)
}

/** Who has been waited for in vain gets no more than this the next time: the others would all be late with it. */
const momentMs = 250

async function startingFor(server: LiveServer): Promise<number> {
  const { state } = await server.sharedStatus()
  return state.kind === 'connecting' ? Date.now() - state.sinceMs : 0
}

async function listsOrReason(
  server: LiveServer,
  options: Parameters<typeof listsOf>[1] & { readonly signal: AbortSignal; readonly waitedMs: number },
): Promise<{ readonly coverage: Coverage; readonly lists: Lists }> {
  const { name } = server
  try {
    const { lists, staleBecause } = await listsOf(server, options)
    return {
      lists,
      coverage:
        staleBecause === undefined
          ? { kind: 'listed', server: name }
          : { kind: 'stale', server: name, error: staleBecause },
    }
  } catch (error) {
    if (!(error instanceof CapstanError)) throw error
    const reason = options.signal.aborted
      ? new CapstanError(
          'connect_timed_out',
          `Server "${name}" did not answer within ${Math.round(options.waitedMs / 1000)} s.`,
          {
            server: name,
            next: `Find out why with: capstan doctor ${name}, or wait longer for all servers: catalogue_seconds in config.toml`,
          },
        )
      : error
    return { lists: noLists, coverage: { kind: 'missing', server: name, error: reason.toJSON() } }
  }
}
