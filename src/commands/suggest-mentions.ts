import type { Catalogue, ResourceEntry } from '../hub/api.ts'
import { rank, type Range } from './fuzzy.ts'
import { findMentions, writeMention } from './mentions.ts'
import { cut, mostSuggestions, noSuggestions, type Suggestion, type Suggestions } from './suggestions.ts'

export interface MentionSources {
  readonly catalogue: Catalogue
  readonly files: () => Promise<readonly string[]>
}

/** Resources of the servers and files of the workspace, where the cursor stands in a mention. */
export async function suggestMentions(line: string, cursor: number, sources: MentionSources): Promise<Suggestions> {
  const hole = mentionAt(line, cursor)
  if (hole === undefined) return noSuggestions(cursor)
  const resources = rank(sources.catalogue.resources, hole.typed, mentionOf).slice(0, mostSuggestions + 1)
  const files = rank(await sources.files(), hole.typed, (file) => file).slice(0, mostSuggestions + 1)
  const items = [
    ...resources.map(({ item, ranges }) => {
      return suggestion('resource', mentionOf(item), { ranges, detail: item.title ?? item.name })
    }),
    ...files.map(({ item, ranges }) => suggestion('file', item, { ranges })),
  ]
  return { from: hole.from, to: hole.to, ...cut(items) }
}

function suggestion(
  kind: 'resource' | 'file',
  name: string,
  { ranges, ...about }: { readonly ranges: readonly Range[]; readonly detail?: string },
): Suggestion {
  const matches = ranges.map(({ start, end }) => ({ start: start + 1, end: end + 1 }))
  return { key: `${kind}:${name}`, kind, label: `@${name}`, insert: writeMention(name), matches, ...about }
}

/** A resource as it is mentioned: `server:uri`. */
function mentionOf({ server, uri }: Pick<ResourceEntry, 'server' | 'uri'>): string {
  return `${server}:${uri}`
}

interface MentionHole {
  readonly from: number
  readonly to: number
  readonly typed: string
}

function mentionAt(line: string, cursor: number): MentionHole | undefined {
  const found = /(?<![^\s([{<,;])@(?:"([^"]*)|([^\s"@]*))$/u.exec(line.slice(0, cursor))
  if (found === null) return undefined
  const whole = findMentions(line).find(({ start }) => start === found.index)
  return { from: found.index, to: Math.max(whole?.end ?? cursor, cursor), typed: found[1] ?? found[2] ?? '' }
}
