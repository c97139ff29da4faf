import type { PromptArgument } from '../prompt.ts'
import { parseTemplate } from '../template.ts'

/** The text with `{{argument}}` spelled as another program wants it; blocks of richer templates stay as they are. */
export function spellArguments(
  text: string,
  declared: readonly PromptArgument[],
  spell: (argument: PromptArgument) => string,
): string {
  const byName = new Map(declared.map((argument) => [argument.name, argument]))
  const nodes = parseTemplate(text, { declared: new Set(byName.keys()), isPlus: false })
  return nodes
    .map((node) => {
      if (node.kind === 'text') return node.text
      const argument = node.kind === 'argument' ? byName.get(node.name) : undefined
      return argument === undefined ? '' : spell(argument)
    })
    .join('')
}

/** A name that an argument may have, made from words for people; empty where none can be made. */
export function argumentNameFor(label: string): string {
  return label
    .trim()
    .replaceAll(/[^\p{L}\p{M}\p{N}_.-]+/gu, '_')
    .replace(/^[^\p{L}_]+/u, '')
    .replace(/_+$/, '')
    .slice(0, 128)
}

/** Different names for things that may want the same one, in order. */
export function distinctNames(wanted: readonly string[]): readonly string[] {
  const names = new Set<string>()
  for (const name of wanted) {
    let free = name
    for (let number = 2; names.has(free); number += 1) free = `${name}_${number}`
    names.add(free)
  }
  return [...names]
}
