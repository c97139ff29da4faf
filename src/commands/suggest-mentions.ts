import type { Catalogue, ResourceEntry } from '../hub/api.ts'
import { rank } from './fuzzy.ts'
import { findMentions, writeMention } from './mentions.ts'
import { cut, noSuggestions, type Suggestion, type Suggestions } from './suggestions.ts'

export interface MentionSources {
  readonly catalogue: Catalogue
  readonly files: () => Promise<readonly string[]>
}

/** Resources of the servers and files of the workspace, where the cursor stands in a mention. */
export async function suggestMentions(line: string, cursor: number, sources: MentionSources): Promise<Suggestions> {
  const hole = mentionAt(line, cursor)
  if (hole === undefined) return noSuggestions(cursor)
  const resources = rank(sources.catalogue.resources, hole.typed, mentionOf).map(({ item, ranges }): Suggestion => {
    const name = mentionOf(item)
    const matches = ranges.map(shifted)
    const detail = item.title ?? item.name
    return { key: `resource:${name}`, kind: 'resource', label: `@${name}`, insert: writeMention(name), detail, matches }
  })
  const files = rank(await sources.files(), hole.typed, (file) => file).map(({ item, ranges }): Suggestion => {
    const matches = ranges.map(shifted)
    return { key: `file:${item}`, kind: 'file', label: `@${item}`, insert: writeMention(item), matches }
  })
  return { from: hole.from, to: hole.to, ...cut([...resources, ...files]) }
}

/** A resource as it is mentioned: `server:uri`. */
function mentionOf({ server, uri }: Pick<ResourceEntry, 'server' | 'uri'>): string {
  return `${server}:${uri}`
}

function shifted({ start, end }: { readonly start: number; readonly end: number }) {
  return { start: start + 1, end: end + 1 }
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
