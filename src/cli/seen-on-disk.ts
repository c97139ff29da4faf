import type { Config, ConfiguredServer } from '../config/types.ts'
import { CapstanError } from '../errors.ts'
import { places } from '../files/places.ts'
import type { Catalogue, Coverage, ListKind } from '../hub/api.ts'
import { buildCatalogue, noLists, type Lists } from '../hub/catalogue/catalogue.ts'
import { diskCatalogue } from '../hub/catalogue/disk-catalogue.ts'
import { listingCache } from '../hub/catalogue/listing-cache.ts'

const kinds: readonly ListKind[] = ['tools', 'prompts', 'resources', 'templates']
/** What is older is looked at anew before anything is told of it; what is younger is followed by the truth in any case. */
const maxAgeMs = 30 * 24 * 3600 * 1000

/** What every server offered when it was last seen, without starting any. `isWhole` when none is missing. */
export function seenOnDisk(config: Config): { readonly catalogue: Catalogue; readonly isWhole: boolean } {
  const cache = listingCache(`${places(config.surroundings.env).cache}/listings`, Date.now)
  const enabled = config.servers.filter(({ standing }) => standing.kind !== 'disabled')
  const parts = enabled.map((server): { coverage: Coverage; lists: Lists } | undefined => {
    const error = barred(server)
    if (error !== undefined) {
      return { coverage: { kind: 'missing', server: server.name, error: error.toJSON() }, lists: noLists }
    }
    const seen = diskCatalogue(config, cache, { servers: [server.name], kinds, maxAgeMs, nowMs: Date.now() })
    const [coverage] = seen?.servers ?? []
    return seen === undefined || coverage === undefined ? undefined : { coverage, lists: seen }
  })
  const known = parts.filter((part) => part !== undefined)
  return { catalogue: buildCatalogue(known), isWhole: known.length === enabled.length }
}

/** Why a server cannot be used before a person has acted. */
function barred({ name, standing }: ConfiguredServer): CapstanError | undefined {
  if (standing.kind === 'invalid') return standing.error
  if (standing.kind !== 'untrusted') return undefined
  return new CapstanError('not_trusted', `Server "${name}" of this project has not been approved.`, {
    server: name,
    next: 'Run: capstan review',
  })
}
