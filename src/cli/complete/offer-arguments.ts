import type { PromptEntry, ToolEntry } from '../../hub/api.ts'
import { choicesOf } from '../../hub/catalogue/schema-choices.ts'
import { followRef, isSchemaObject } from '../../hub/catalogue/schema-ref.ts'
import { requiredNames } from '../../hub/catalogue/schema-type.ts'
import { files, nothing, words, type Candidate, type Offer } from './offer.ts'

export interface ArgumentHole {
  /** What of `key=value` is there already. */
  readonly typed: string
  /** The `key=value` words before it. */
  readonly before: readonly string[]
}

/** Names of a tool's arguments, the required ones first, and after `key=` the values that its schema names. */
export function offerToolArguments(tool: ToolEntry, { typed, before }: ArgumentHole): Offer {
  const root = tool.inputSchema
  const properties = isSchemaObject(root['properties']) ? root['properties'] : {}
  const pair = splitPair(typed)
  if (pair !== undefined) {
    const schema = Object.hasOwn(properties, pair.key) ? followRef(properties[pair.key], root) : undefined
    return offerValues(pair, choicesOf(schema, root))
  }
  const given = new Set(before.map(keyOf))
  const required = requiredNames(root)
  const known = Object.keys(properties).map((name) => ({ name, schema: followRef(properties[name], root) }))
  const open = known.filter(({ name, schema }) => !given.has(name) || schema?.['type'] === 'array')
  return words(
    requiredFirst(
      open.map(({ name, schema }) => ({
        name,
        isRequired: required.includes(name),
        description: schema?.['description'],
      })),
    ),
  )
}

/** Names of a prompt's arguments. After `key=` come the values that `suggest` knows. */
export async function offerPromptArguments(
  prompt: PromptEntry,
  { typed, before }: ArgumentHole,
  suggest: Suggest,
): Promise<Offer> {
  const declared = prompt.arguments ?? []
  const pair = splitPair(typed)
  if (pair === undefined) {
    const given = new Set(before.map(keyOf))
    const open = declared.filter(({ name }) => !given.has(name))
    return words(
      requiredFirst(
        open.map(({ name, required, description }) => ({ name, isRequired: required === true, description })),
      ),
    )
  }
  const isFile = pair.value.startsWith('@')
  if (isFile || !declared.some(({ name }) => name === pair.key)) return offerValues(pair, [])
  const context = Object.fromEntries(before.flatMap((word) => asEntry(splitPair(word))))
  return offerValues(pair, await suggest(prompt, { name: pair.key, value: pair.value }, context))
}

/** The values that the prompt's server suggests. */
export type Suggest = (
  prompt: PromptEntry,
  argument: { readonly name: string; readonly value: string },
  context: Readonly<Record<string, string>>,
) => Promise<readonly string[]>

interface TypedPair {
  readonly key: string
  readonly value: string
}

function offerValues({ key, value }: TypedPair, values: readonly string[]): Offer {
  if (value.startsWith('@') && !value.startsWith('@@')) return files(`${key}=@`)
  if (values.length === 0) return nothing
  // A value that begins with @ would be taken for the name of a file.
  const candidates = values.map((text) => ({ value: text.startsWith('@') ? `@${text}` : text }))
  return words(candidates, `${key}=`)
}

interface DeclaredArgument {
  readonly name: string
  readonly isRequired: boolean
  readonly description: unknown
}

function requiredFirst(declared: readonly DeclaredArgument[]): readonly Candidate[] {
  return declared
    .toSorted((a, b) => Number(b.isRequired) - Number(a.isRequired))
    .map(({ name, isRequired, description }) => {
      const parts = [isRequired ? 'required' : '', typeof description === 'string' ? description : '']
      return { value: `${name}=`, about: parts.filter((part) => part !== '').join(': ') }
    })
}

function splitPair(word: string): TypedPair | undefined {
  const at = word.indexOf('=')
  return at > 0 ? { key: word.slice(0, at), value: word.slice(at + 1) } : undefined
}

function keyOf(word: string): string {
  return splitPair(word)?.key ?? word
}

function asEntry(pair: TypedPair | undefined): readonly (readonly [string, string])[] {
  return pair === undefined ? [] : [[pair.key, pair.value]]
}
