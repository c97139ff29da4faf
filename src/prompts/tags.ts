import type { Prompt } from './prompt.ts'

/** Whether the prompt has this tag or one below it: `language` is there in `language/go`. Upper and lower case are the same. */
export function hasTag({ tags }: Prompt, tag: string): boolean {
  const wanted = tag.toLowerCase().replaceAll(/^\/+|\/+$/g, '')
  return tags.some((own) => {
    const have = own.toLowerCase()
    return have === wanted || have.startsWith(`${wanted}/`)
  })
}

export function hasAnyTag(prompt: Prompt, tags: readonly string[]): boolean {
  return tags.some((tag) => hasTag(prompt, tag))
}

export function hasEveryTag(prompt: Prompt, tags: readonly string[]): boolean {
  return tags.every((tag) => hasTag(prompt, tag))
}
