import { CapstanError } from '../../../errors.ts'
import type { CommandInput } from '../../command.ts'
import { exitCodes } from '../../exit-codes.ts'
import { layerOf, promptNamed, textOf } from './choose-prompts.ts'
import { wholePrompt } from './prompt-row.ts'
import { writer } from './saved.ts'
import type { LibraryContext, Subcommand } from './subcommand.ts'

export const subcommand: Subcommand = {
  help: `Point a label at a revision of a prompt, the newest when none is given. "library show NAME --at LABEL" then shows that one, however
often the prompt changes; a label points to one revision of a prompt.

  --revision N   this revision
  --remove       take the label away
  --layer NAME   the prompt of this layer
  --json         the prompt with its labels, as one JSON value

Examples
  capstan library label standup production
  capstan library label standup production --revision 3`,
  run,
}

async function run({ io, flags, openLibrary }: LibraryContext, { values, positionals }: CommandInput): Promise<number> {
  const [name, label, ...more] = positionals
  if (name === undefined || label === undefined || more.length > 0) {
    throw new CapstanError('usage', 'A label needs a prompt and a word.', {
      next: 'Write: capstan library label NAME production',
    })
  }
  const { store, approveOwnChange } = await openLibrary()
  const { prompt, layer } = await promptNamed(store, name, layerOf(values))
  const isRemoved = values['remove'] === true
  const stored = isRemoved
    ? await store.unlabel(prompt.name, label, { layer, ...writer })
    : await store.label(prompt.name, label, { layer, ...writer, ...revisionFlag(values) })
  if (layer === 'project') await approveOwnChange()
  const sentence = isRemoved
    ? `${prompt.name} has no label ${label} any more.`
    : `${label} points to revision ${stored.labels[label]} of ${prompt.name}.`
  await io.out(flags.json ? `${JSON.stringify(wholePrompt(stored))}\n` : `${sentence}\n`)
  return exitCodes.ok
}

function revisionFlag(values: CommandInput['values']): { readonly revision?: number } {
  const text = textOf(values, 'revision')
  if (text === undefined) return {}
  if (/^[1-9]\d{0,8}$/.test(text)) return { revision: Number(text) }
  throw new CapstanError('usage', `--revision wants a whole number from 1 on, not "${text}".`, {
    next: 'The revisions: capstan library history NAME',
  })
}
