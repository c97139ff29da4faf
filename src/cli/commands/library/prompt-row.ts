import { firstSentence } from '../../../hub/catalogue/first-sentence.ts'
import type { StoredPrompt } from '../../../prompts/store.ts'
import { plainLine } from '../../../policy/plain-text.ts'

/** A prompt in lists for programs: what tells it apart, without its texts. */
export function promptSummary({ prompt, layer, revision, labels, overrides }: StoredPrompt) {
  const { name, title, description, tags, steps, updated } = prompt
  return {
    name,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    tags,
    arguments: prompt.arguments,
    ...(steps === undefined ? {} : { steps: steps.length }),
    layer,
    revision,
    labels,
    overrides,
    ...(updated === undefined ? {} : { updated }),
  }
}

/** Everything about a prompt, for programs. */
export function wholePrompt({ prompt, layer, revision, labels, overrides }: StoredPrompt) {
  return { prompt, layer, revision, labels, overrides }
}

/** What it is for, on one line. */
export function aboutPrompt({ prompt }: StoredPrompt): string {
  return plainLine(firstSentence(prompt.description || prompt.title, Number.POSITIVE_INFINITY))
}

/** `builtin < user`: where it comes from, and what it replaces. */
export function originOf({ layer, overrides }: StoredPrompt): string {
  return overrides.length === 0 ? layer : `${layer} (over ${overrides.join(', ')})`
}
