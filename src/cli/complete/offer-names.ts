import type { PromptEntry, ToolEntry } from '../../hub/api.ts'
import { firstSentence } from '../../hub/catalogue/first-sentence.ts'
import type { Candidate } from './offer.ts'

/** Tools, spelt as the person has begun to: `server.tool`, else `mcp.server.tool`, `server/tool` or a bare name. */
export function offerTools(tools: readonly ToolEntry[], typed: string): readonly Candidate[] {
  return offerSpelt(tools, typed, [
    ({ id }) => id,
    ({ id }) => `mcp.${id}`,
    ({ server, tool }) => `${server}/${tool}`,
    ({ tool }) => (isUnique(tools, (other) => other.tool === tool) ? tool : undefined),
  ])
}

/** Prompts, spelt as the person has begun to: `server:prompt`, else `/server:prompt`, `server.prompt` or a bare name. */
export function offerPrompts(prompts: readonly PromptEntry[], typed: string): readonly Candidate[] {
  return offerSpelt(prompts, typed, [
    ({ id }) => id,
    ({ id }) => `/${id}`,
    ({ server, prompt }) => `${server}.${prompt}`,
    ({ prompt }) => (isUnique(prompts, (other) => other.prompt === prompt) ? prompt : undefined),
  ])
}

type Spelling<Entry> = (entry: Entry) => string | undefined

function offerSpelt<Entry extends ToolEntry | PromptEntry>(
  entries: readonly Entry[],
  typed: string,
  spellings: readonly [Spelling<Entry>, ...Spelling<Entry>[]],
): readonly Candidate[] {
  const fits = (spell: Spelling<Entry>) => entries.some((entry) => spell(entry)?.startsWith(typed) === true)
  const spell = spellings.find(fits) ?? spellings[0]
  return entries.flatMap((entry) => {
    const value = spell(entry)
    return value === undefined ? [] : [{ value, about: aboutEntry(entry) }]
  })
}

function aboutEntry({ title, description }: ToolEntry | PromptEntry): string | undefined {
  return description === undefined ? title : firstSentence(description)
}

function isUnique<Entry>(entries: readonly Entry[], isSame: (entry: Entry) => boolean): boolean {
  return entries.filter(isSame).length === 1
}
