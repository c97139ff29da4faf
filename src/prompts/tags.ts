import type { Prompt } from './prompt.ts'

/** Whether the prompt has one of these tags, or one below them: `language` is there in `language/go`. */
export function hasAnyTag(prompt: Prompt, tags: readonly string[]): boolean {
  return tags.some((tag) => hasTag(prompt, tag))
}

export function hasEveryTag(prompt: Prompt, tags: readonly string[]): boolean {
  return tags.every((tag) => hasTag(prompt, tag))
}

/** Upper and lower case are the same. */
function hasTag({ tags }: Prompt, tag: string): boolean {
  const wanted = tag.toLowerCase().replaceAll(/^\/+|\/+$/g, '')
  return tags.some((own) => {
    const have = own.toLowerCase()
    return have === wanted || have.startsWith(`${wanted}/`)
  })
}
