import type { Config } from '../config/types.ts'
import { CapstanError } from '../errors.ts'
import { places } from '../files/places.ts'
import type { Catalogue, CatalogueOptions, Hub, ListKind, ServerStatus } from '../hub/api.ts'
import { diskCatalogue } from '../hub/catalogue/disk-catalogue.ts'
import { listingCache, type ListingCache } from '../hub/catalogue/listing-cache.ts'
import { leftOutTools, storedFacts } from '../hub/own-tools/own-tool-store.ts'
import { lookAtBuiltins, type BuiltinLook, type LookQuestion } from './look-at-builtins.ts'

/** The part of a Hub that looking needs. */
export type Catalogued = Pick<Hub, 'servers' | 'catalogue'>

const dayMs = 24 * 3600 * 1000

interface DiskLook {
  readonly servers: readonly string[]
  readonly kinds: readonly ListKind[]
  /** What comes with Capstan needs no disk. */
  readonly builtins: readonly BuiltinLook[]
}

/** Answers from what was seen within a day, without starting anything; undefined when that is not enough for the look. */
export async function diskHub(config: Config, question: LookQuestion): Promise<Catalogued | undefined> {
  const { servers, builtins } = await lookAtBuiltins(config, question)
  // Where nothing is configured there is nothing to start either.
  const isKnown = servers.length > 0 || config.servers.length === 0
  return isKnown ? seenOnDisk(config, { servers, builtins, kinds: question.kinds }) : undefined
}

function seenOnDisk(config: Config, look: DiskLook): Catalogued | undefined {
  const cache = listingCache(`${places(config.surroundings.env).cache}/listings`, Date.now)
  const ask = ({ servers = look.servers, kinds = look.kinds }: CatalogueOptions = {}): Catalogue | undefined =>
    diskCatalogue(config, cache, { servers, kinds, maxAgeMs: dayMs, nowMs: Date.now(), others: othersAmong(servers) })
  const othersAmong = (servers: readonly string[]) =>
    look.builtins.flatMap(({ name, lists }) =>
      lists === undefined || !servers.includes(name)
        ? []
        : [{ coverage: { kind: 'listed', server: name } as const, lists }],
    )
  const seen = ask()
  if (seen === undefined) return undefined
  return {
    servers: async () => [
      ...config.servers.map((server) => statusOf(server, cache)),
      ...look.builtins.map(builtinStatus),
    ],
    async catalogue(options) {
      const isSameLook = sameNames(options?.servers, look.servers) && sameNames(options?.kinds, look.kinds)
      const catalogue = isSameLook ? seen : ask(options)
      if (catalogue !== undefined) return catalogue
      throw new CapstanError('server_error', 'The catalogue on disk has changed while it was read.', {
        next: 'Run it again.',
      })
    },
  }
}

function builtinStatus({ name, description }: BuiltinLook): ServerStatus {
  const about = description === undefined ? {} : { description }
  return { name, ...about, isBuiltin: true, state: { kind: 'idle' } }
}

function sameNames(asked: readonly string[] | undefined, seen: readonly string[]): boolean {
  return asked === undefined || (asked.length === seen.length && asked.every((name, index) => name === seen[index]))
}

function statusOf({ name, standing }: Config['servers'][number], cache: ListingCache): ServerStatus {
  const leftOut = standing.kind === 'own' ? leftOutTools(standing.tools, (tool) => storedFacts(cache, tool)) : []
  const description = standing.kind === 'usable' ? standing.server.description : undefined
  return {
    name,
    ...(description === undefined ? {} : { description }),
    ...(leftOut.length === 0 ? {} : { leftOut }),
    state: standing.kind === 'disabled' ? { kind: 'disabled' } : { kind: 'idle' },
  }
}
