import { CapstanError } from '../../../errors.ts'
import { nearest } from '../../../hub/catalogue/nearest.ts'
import type { PromptStore, StoredPrompt } from '../../../prompts/store.ts'
import { hasAnyTag, hasEveryTag } from '../../../prompts/tags.ts'
import type { CommandInput } from '../../command.ts'

type Values = CommandInput['values']

export interface Choice {
  /** All when empty. */
  readonly names: readonly string[]
  readonly values: Values
}

/** The prompts that names, `--tag` (each of them), `--any-tag` (one of them) and `--layer` leave. */
export async function choosePrompts(store: PromptStore, { names, values }: Choice): Promise<readonly StoredPrompt[]> {
  const every = textsOf(values, 'tag')
  const any = textsOf(values, 'any-tag')
  const all = await store.list(layerOf(values))
  const fitting = all.filter(({ prompt }) => hasEveryTag(prompt, every) && (any.length === 0 || hasAnyTag(prompt, any)))
  if (names.length === 0) return fitting
  return names.map((name) => fitting.find(({ prompt }) => prompt.name === name) ?? unknown(name, fitting))
}

/** The one name that a subcommand is about. */
export function onlyName({ positionals }: CommandInput, verb: string): string {
  const [name, ...more] = positionals
  if (name === undefined || more.length > 0) {
    throw new CapstanError(
      'usage',
      name === undefined ? 'Which prompt?' : `One prompt at a time, not ${positionals.length}.`,
      {
        next: `Write: capstan library ${verb} NAME`,
      },
    )
  }
  return name
}

/** What a person calls a prompt, also with another's spelling (`code-review`), as the store has it. */
export async function promptNamed(
  store: PromptStore,
  name: string,
  options: { readonly layer?: string; readonly at?: number | string } = {},
): Promise<StoredPrompt> {
  try {
    return await store.get(name, options)
  } catch (error) {
    if (!(error instanceof CapstanError) || error.code !== 'prompt_unknown') throw error
    const other = name.toLowerCase().replaceAll(/[\s-]+/g, '_')
    if (other !== name && (await store.has(other, options))) return await store.get(other, options)
    const all = (await store.list(options)).map(({ prompt }) => prompt.name)
    const close = nearest(name, all)
    if (close.length === 0) throw error
    throw new CapstanError('prompt_unknown', `${error.message} Closest: ${close.join(', ')}.`, {
      cause: error,
      next: error.next,
    })
  }
}

/** `--at` and revisions on the command line: a number, or a label. */
export function revisionOrLabel(text: string): number | string {
  return /^\d+$/.test(text) ? Number(text) : text
}

export function textOf(values: Values, flag: string): string | undefined {
  const value = values[flag]
  return typeof value === 'string' ? value : undefined
}

export function textsOf(values: Values, flag: string): readonly string[] {
  const value = values[flag]
  return (Array.isArray(value) ? value : [value]).filter((item) => typeof item === 'string')
}

export function layerOf(values: Values): { readonly layer?: string } {
  const layer = textOf(values, 'layer')
  return layer === undefined ? {} : { layer }
}

function unknown(name: string, all: readonly StoredPrompt[]): never {
  const close = nearest(
    name,
    all.map(({ prompt }) => prompt.name),
  )
  const hint = close.length === 0 ? '' : ` Closest: ${close.join(', ')}.`
  throw new CapstanError('prompt_unknown', `There is no prompt "${name}" among those.${hint}`, {
    next: 'Run: capstan library list',
  })
}
