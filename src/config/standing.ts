import { CapstanError } from '../errors.ts'
import { parseEntry } from './entry.ts'
import { entryError, mendIn } from './fields.ts'
import type { MergedEntry } from './merge.ts'
import { servesPromptLibrary, startsCapstan } from './self.ts'
import type { ConfiguredServer, RawEntry, Standing } from './types.ts'
import { isObject } from '../json.ts'

/** What a person has said about an entry of a project file. */
export type Trust = (projectFile: string, name: string, entry: RawEntry) => 'trusted' | 'refused' | 'new' | 'changed'

export interface JudgedServer {
  readonly server: ConfiguredServer
  readonly warnings: readonly string[]
}

/** Decides whether an entry may be used. Nothing is thrown: one invalid entry never hides the others. */
export function judgeEntry(merged: MergedEntry, trust: Trust): JudgedServer {
  const { name, raw, origin, shadows } = merged
  const { standing, warnings } = standingOf(merged, trust)
  const shadowed = shadows.map((shadow) => ({ entry: asEntry(shadow.raw), origin: shadow.origin }))
  const server = {
    name,
    entry: asEntry(raw),
    origin,
    standing,
    ...(shadowed.length === 0 ? {} : { shadows: shadowed }),
  }
  return { server, warnings }
}

function standingOf(
  { name, raw, origin }: MergedEntry,
  trust: Trust,
): { readonly standing: Standing; readonly warnings: readonly string[] } {
  const place = { name, file: origin.file }
  // Switched off is switched off: whatever else is wrong with it can wait until it is wanted.
  if (isObject(raw) && raw['disabled'] === true) return { standing: { kind: 'disabled' }, warnings: [] }
  try {
    const { server, warnings } = parseEntry(raw, place)
    if (startsCapstan(asEntry(raw)) && !servesPromptLibrary(asEntry(raw))) throw capstanInCapstan(place)
    const said = origin.layer === 'project' ? trust(origin.file ?? '', name, asEntry(raw)) : 'trusted'
    return { standing: said === 'trusted' ? { kind: 'usable', server } : { kind: 'untrusted', change: said }, warnings }
  } catch (error) {
    if (error instanceof CapstanError) return { standing: { kind: 'invalid', error }, warnings: [] }
    throw error
  }
}

function capstanInCapstan(place: { readonly name: string; readonly file: string | undefined }): CapstanError {
  return entryError('config_invalid', place, {
    problem: 'it would start Capstan inside Capstan',
    next: `Remove it from ${mendIn(place)}; Capstan already holds all of its servers.`,
  })
}

/** An entry that is no object has no fields to show. */
function asEntry(raw: unknown): RawEntry {
  return isObject(raw) ? raw : {}
}
